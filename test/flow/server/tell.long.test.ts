import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSampleLedger, type SampleLedger, type SimNode, startSimNode } from "../../../sim/index.ts";
import { exchangeAddress } from "../../../sim/sample/exchange.ts";
import type { AlertMessage } from "../../../src/questions/tell/message.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { type Receiver, startReceiver } from "../../questions/tell/support/receiver.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { rowsIn } from "./public-rows.ts";

eachPostgres("telling from a server", (open) => {
  const pool = `${exchangeAddress}::pool`;
  let sample: SampleLedger;
  let node: SimNode;
  let receiver: Receiver;
  let place: ReturnType<typeof temporaryDirectory>;
  let clock: ManualClock;
  let db: string;
  let settings: string;

  const run = (...argv: string[]) => runCli([...argv, "--db", db], { clock });
  const night = (...argv: string[]) =>
    runCli(["night", "--config", settings, "--slices", "0", ...argv], { env: { TEAM_HOOK: receiver.url }, clock });
  /** The changes that were told, also those of one message together. */
  const messages = (): AlertMessage[] =>
    receiver.received.flatMap(({ body }) => {
      const message = JSON.parse(body) as AlertMessage | { readonly alerts: readonly AlertMessage[]; readonly type: "digest" };
      return "type" in message && message.type === "digest" ? message.alerts : [message as AlertMessage];
    });
  const rows = (sql: string) => rowsIn(db, sql);

  beforeEach(async () => {
    sample = createSampleLedger();
    node = await startSimNode({ ledger: sample.ledger });
    receiver = await startReceiver();
    place = temporaryDirectory();
    clock = new ManualClock({ startMs: Date.now(), skipSleeps: true });
    db = (await open()).url();
    settings = place.file("movedex.toml");
    writeFileSync(
      settings,
      `[sample]\nrpc = "${node.url}"\nrate = 0\ndb = "${db}"\nwebhook-env = "TEAM_HOOK"\n[sample.tell]\nalerts-file = "alerts.jsonl"\n`,
    );
    await run("targets", "add", ...sample.codeAccounts, sample.trader);
    await ended(night());
  });
  afterEach(async () => {
    await node?.close();
    await receiver?.[Symbol.asyncDispose]();
    place?.[Symbol.dispose]();
  });

  test("a night tells what changed once, since which exact version; a dead receiver hears it from the next night", async () => {
    await ended(run("watch", "add", pool, "--for", "clients"));
    sample.passDay();
    receiver.behave = () => "die";
    const first = await ended(night("--json"));
    expect(first.json()).toMatchObject({ totals: { alerts_told: 1, alerts_waiting: 1 } });
    receiver.behave = () => ({ status: 200 });
    await clock.advance(86_400_000);
    const second = await night("--json");
    expect(second.json()).toMatchObject({ totals: { alerts_told: 1, alerts_waiting: 0 } });
    await night();
    expect(receiver.taken).toHaveLength(1);
    const message = messages().at(-1) as AlertMessage;
    expect(message).toMatchObject({ chain_id: 4, severity: "breaking", module: "pool", is_exact: true });
    expect(BigInt(message.at_or_before_version)).toBe(BigInt(message.after_version) + 1n);
    expect(readFileSync(place.file("alerts.jsonl"), "utf8").trimEnd().split("\n")).toHaveLength(1);
    expect(await rows("SELECT is_exact, waiting, at_or_before_version FROM alerts")).toEqual([
      [1n, 0n, BigInt(message.at_or_before_version)],
    ]);
    expect((await run("report", "--json")).json()).toMatchObject({ alerts: 1 });
  });

  test("of tellers at once one tells, the others end with 5 or find nothing left; no alert is told twice", async () => {
    sample.passDay();
    await run("sync", "--rpc", node.url, "--rate", "0");
    for (const level of ["any", "breaking", "dangerous"])
      for (const audience of ["callers", "clients", "readers"])
        await ended(run("watch", "add", exchangeAddress, "--level", level, "--for", audience, "--since", "oldest"));
    const expected = Number((await rows("SELECT count(*) FROM alerts"))[0]?.[0]);
    expect(expected).toBeGreaterThan(5);
    const results = await Promise.all(Array.from({ length: 4 }, () => run("tell", "--webhook", receiver.url)));
    expect(results.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
    for (const { code, stderr } of results) expect([0, 5], stderr).toContain(code);
    await ended(run("tell", "--webhook", receiver.url));
    // Each change is told once, and names the alerts of all watches.
    const changes = await rows("SELECT DISTINCT address, module, after_version, at_or_before_version FROM alerts");
    expect(messages()).toHaveLength(changes.length);
    expect(messages().flatMap(({ alerts }) => alerts)).toHaveLength(expected);
    expect(new Set(messages().flatMap(({ alerts }) => alerts)).size).toBe(expected);
    expect(await rows("SELECT count(*) FROM alerts WHERE told_at IS NULL OR waiting > 0")).toEqual([[0n]]);
  });
});
