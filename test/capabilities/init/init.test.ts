import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { networks } from "../../../src/core/node/networks.ts";
import { ended, runCli, test } from "../../support/index.ts";

const env = {
  APTOS_MAINNET_API_KEY: "k",
  APTOS_MAINNET_PING_URL: "https://ping.example.org/x",
  APTOS_MAINNET_WEBHOOK_URL: "https://hooks.example.org/x",
  APTOS_MAINNET_WEBHOOK_SECRET: "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0",
};

const shipped = readdirSync(new URL("../../../jobs/examples", import.meta.url));

describe("init", () => {
  test("writes a file for every network that a night takes as it stands, and never over another file", async ({ place }) => {
    const file = place.file("movedex.toml");
    await ended(runCli(["init", file, "--network", ...Object.keys(networks)]));
    for (const name of Object.keys(networks)) {
      const { stdout } = await ended(runCli(["night", "--config", file, "--section", name, "--dry-run"]));
      expect(stdout).toContain(`movedex sync --network ${name} --encoding auto --db ${place.file(`${name}.db`)} --json\n`);
    }
    writeFileSync(file, "# mine\n");
    const again = await runCli(["init", file]);
    expect([again.code, readFileSync(file, "utf8")]).toEqual([64, "# mine\n"]);
    expect(again.stderr).toContain("it exists, and was left as it is");
  });

  test("writes the files of a schedule for a network, all of them or none", async ({ place }) => {
    const systemd = ["init", place.file("units"), "--for", "systemd", "--network", "movement-mainnet"];
    const { stdout, stderr } = await ended(runCli(systemd));
    const names = readdirSync(place.file("units")).toSorted();
    expect(names).toEqual(shipped.filter((name) => /^movedex.*\.(service|timer)$/.test(name)).toSorted());
    expect(stdout.trimEnd().split("\n").toSorted()).toEqual(names.map((name) => `wrote ${place.file(`units/${name}`)}`));
    expect(stderr).toContain("/etc/systemd/system");
    expect(readFileSync(place.file("units/movedex.service"), "utf8")).toMatch(/^ExecStart=.* --network movement-mainnet /m);
    for (const name of names) expect(readFileSync(place.file(`units/${name}`), "utf8")).not.toContain("aptos-mainnet");
    rmSync(place.file("units/movedex-serve.service"));
    const again = await runCli(systemd);
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain("movedex.service`: it exists, and was left as it is. Name another place.");
    expect(readdirSync(place.file("units"))).not.toContain("movedex-serve.service");
    expect((await runCli(["init", place.path, "--for", "cron", "--network", "aptos-mainnet", "movement-mainnet"])).stderr).toContain(
      "for one network",
    );
    expect((await runCli(["init", "-", "--for", "kubernetes"])).stdout).toContain("kind: CronJob");
    await ended(runCli(["init", place.file("watch"), "--for", "monitoring"]));
    expect(readdirSync(place.file("watch")).toSorted()).toEqual(["grafana-dashboard.json", "prometheus-rules.yaml"]);
  });

  test("each line that is a comment is right once its # is taken away, and says what its option says", async ({ place }) => {
    const { stdout } = await runCli(["init", "-"]);
    const keys = [...stdout.matchAll(/^# ([a-z-]+) = /gm)].map((match) => match[1]);
    expect(keys).toContain("backfill");
    expect(new Set(keys).size).toBe(keys.length);
    const file = place.file("all.toml");
    writeFileSync(file, stdout.replaceAll(/^# ([a-z-]+ = .*)$/gm, "$1"));
    const { stdout: steps } = await ended(runCli(["night", "--config", file, "--dry-run"], { env }));
    expect(steps).toContain("--max-duration 21600s --max-requests 20000");
    expect(steps).toContain(`movedex backup ${place.file("backups/aptos-mainnet/")}`);
    expect(stdout).toMatch(/^# requests per second of this process; 0 for no limit/m);
  });
});
