import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode, writeModule } from "../../sim/index.ts";
import { exchangeAddress, exchangeModules } from "../../sim/sample/exchange.ts";
import { listening, runProcess, temporaryDirectory } from "../support/index.ts";
import { installElsewhere, packedRelease } from "../support/package/pack.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("a newcomer's first hour, with the packed program in an empty home", () => {
  const place = temporaryDirectory();

  beforeAll(async () => {
    await installElsewhere(place.file("installed"), (await packedRelease()).tarball, root);
  });

  /** Runs an hour to its end in a home of its own, with nothing else of this process' environment. */
  async function live(
    hour: string,
    env: Readonly<Record<string, string>>,
    prepare: (home: string) => void = () => undefined,
  ): Promise<(file: string) => string> {
    const home = place.file(hour);
    mkdirSync(home);
    prepare(home);
    const PATH = [place.file("installed/node_modules/.bin"), dirname(process.execPath), "/usr/local/bin:/usr/bin:/bin"].join(":");
    const script = fileURLToPath(new URL(`hours/${hour}.sh`, import.meta.url));
    const { code, stdout, stderr } = await runProcess("/bin/sh", [script], {
      cwd: home,
      env: { PATH, HOME: home, LANG: "C.UTF-8", ...env },
    });
    expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
    return (file) => readFileSync(join(home, file), "utf8");
  }

  test("an operator has nights under cron, metrics, a backup that restores, and an alert", async () => {
    await using world = await openWorld();
    const read = await live("operator", { ...world.env, ACCOUNTS: world.accounts.join(" "), WATCHED: `${exchangeAddress}::pool` });
    expect(read("archive/mail.txt").trim().split("\n")).toHaveLength(2);
    expect(
      read("archive/nights.jsonl")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([{ exit_code: 0 }, { exit_code: 0 }]);
    expect(read("archive/changes.md")).toContain("pool");
    expect(read("archive/verified.txt")).toContain("nothing wrong");
    expect(readdirSync(join(place.file("operator"), "archive/backups")).length).toBeGreaterThan(0);
    expect(world.alerts).toHaveLength(1);
    expect(world.alerts[0]).toContain(`${exchangeAddress}::pool`);
  });

  test("a Move developer has typings that compile, a check that says no, an alert, and an abort in words", async () => {
    await using world = await openWorld();
    const read = await live(
      "developer",
      {
        ...world.env,
        ACCOUNTS: `0x1 ${exchangeAddress}`,
        POOL: `${exchangeAddress}::pool`,
        TSC: join(root, "node_modules/typescript/bin/tsc"),
      },
      (home) => {
        const curve = exchangeModules.atFirst.filter(({ name }) => name === "curve");
        for (const [build, specs] of Object.entries({ Good: curve, Bad: [exchangeModules.upgradedPool] })) {
          const folder = join(home, "build", build, "bytecode_modules");
          mkdirSync(folder, { recursive: true });
          for (const spec of specs) writeFileSync(join(folder, `${spec.name}.mv`), writeModule(spec));
        }
      },
    );
    const { runs } = JSON.parse(read("bad.sarif")) as { runs: { results: { ruleId: string }[] }[] };
    expect(runs[0]?.results.map(({ ruleId }) => ruleId)).toContain("function-removed");
    expect(read("alerts.jsonl").trim().split("\n")).toHaveLength(1);
    expect(read("explained.txt")).toContain("EPRICE_MOVED");
  });
});

/** The sample ledger's node, a door that lets its day pass, and a receiver of alerts. */
async function openWorld() {
  const sample = createSampleLedger();
  const node = await startSimNode({ ledger: sample.ledger });
  const alerts: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await Array.fromAsync(request);
    if (request.url === "/day") sample.passDay();
    else alerts.push(Buffer.concat(body).toString());
    response.end();
  });
  const listener = await listening(server);
  const door = listener.origin;
  return {
    accounts: [...sample.codeAccounts, sample.trader],
    alerts,
    env: { NODE: node.url, PASS_A_DAY: `${door}/day`, RECEIVER: `${door}/alerts` },
    [Symbol.asyncDispose]: async () => {
      await listener[Symbol.asyncDispose]();
      await node.close();
    },
  };
}
