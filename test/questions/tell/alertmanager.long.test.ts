import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { testMessage } from "../../../src/questions/tell/message.ts";
import { webhookChannel } from "../../../src/questions/tell/webhook.ts";
import { runCli } from "../../support/run-cli.ts";
import { sealModules } from "../../support/sealed-modules.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** Debian's program. */
const program = "prometheus-alertmanager";
const isInstalled = spawnSync(program, ["--version"]).status === 0;

/** What its API gives back. */
type Held = {
  readonly labels: Record<string, string>;
  readonly annotations: { readonly summary: string; readonly description?: string };
  readonly generatorURL?: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
};

describe.skipIf(!isInstalled)("a real Alertmanager (skipped where Debian's prometheus-alertmanager is not installed)", () => {
  const place = temporaryDirectory();
  let stop: () => Promise<void> = async () => {};
  let url = "";
  beforeAll(async () => {
    writeFileSync(place.file("config.yml"), "route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n");
    mkdirSync(place.file("data"));
    const process = spawn(
      program,
      [
        `--config.file=${place.file("config.yml")}`,
        `--storage.path=${place.file("data")}`,
        "--web.listen-address=127.0.0.1:0",
        "--cluster.listen-address=",
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    stop = async () => {
      process.kill();
      if (process.exitCode === null) await once(process, "exit");
    };
    const said: string[] = [];
    for await (const line of createInterface(process.stderr)) {
      said.push(line);
      const port = /Listening on.*address=127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port === undefined) continue;
      url = `http://127.0.0.1:${port}/api/v2/alerts`;
      break;
    }
    expect(url, said.join("\n")).not.toBe("");
    // What it says afterwards is read away, or it would wait.
    process.stderr.resume();
  });
  afterAll(() => stop());
  const held = async (filter = ""): Promise<Held[]> =>
    (await (await fetch(`${url}?filter=${encodeURIComponent(filter)}`)).json()) as Held[];

  test("holds the changes of a night as `tell` posts them, each once, and shows them for a day", async () => {
    const db = place.file("night.db");
    const vault = (...names: readonly string[]) =>
      writeModule({ address: "0xb", name: "vault", functions: names.map((name) => ({ name, visibility: "public" as const })) });
    const till = writeModule({ address: "0xb", name: "till" });
    await sealModules(db, [{ version: 10n, accounts: { "0xb": [vault("open", "shut"), till] } }]);
    expect((await runCli(["watch", "add", "0xb", "0xb::vault", "--level", "any", "--db", db])).code).toBe(0);
    await sealModules(db, [{ version: 20n, accounts: { "0xb": [vault("open")] } }]);
    const tell = async () =>
      await runCli(["tell", "--webhook-format", "alertmanager", "--pages-url", "https://archive.example", "--db", db], {
        env: { MOVEDEX_WEBHOOK_URL: url },
      });
    for (let night = 0; night < 2; night++) {
      const { code, stderr } = await tell();
      expect(code, stderr).toBe(0);
      const alerts = (await held("chain_id=4")).toSorted((a, b) => (a.labels["module"] ?? "").localeCompare(b.labels["module"] ?? ""));
      expect(alerts.map(({ labels }) => labels)).toEqual([
        expect.objectContaining({ alertname: "MovedexChange", module: "till", bytecode: "removed", after_version: "10" }),
        expect.objectContaining({ alertname: "MovedexChange", module: "vault", severity: "breaking", address: "0xb" }),
      ]);
      for (const { status, startsAt, endsAt, annotations, generatorURL } of alerts) {
        expect(status.state).toBe("active");
        expect(Date.parse(endsAt) - Date.parse(startsAt)).toBe(86_400_000);
        expect(annotations.summary).toMatch(/^0xb::(?:vault changed|till was removed) after ledger version 10, at or before 20/);
        expect(generatorURL).toMatch(/^https:\/\/archive\.example\//);
      }
    }
  });

  test("takes what strangers may write, and as many changes as one message has", async () => {
    const hostile = `\u0000\ud800"\n{}=~,\u{202e}\u{1f600}${"x".repeat(10_000)}`;
    const message = { ...testMessage(7), summary: hostile, reason: hostile, link: "https://archive.example/diff?a=1&b=%7C" };
    const messages = Array.from({ length: 100 }, (_, i) => ({ ...message, address: `0x${i}`, module: hostile }));
    const channel = webhookChannel(url, { format: "alertmanager", secret: undefined, proxies: undefined, now: Date.now, limitMs: 60_000 });
    expect(await channel.tell({ id: "d1", messages: messages as unknown as [typeof message], isUncertain: false })).toEqual({
      isTold: true,
    });
    expect(await held("chain_id=7")).toHaveLength(100);
  });
});
