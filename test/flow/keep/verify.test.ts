import { describe, expect, test } from "vitest";
import { faults, SimLedger, startSimNode } from "../../../sim/index.ts";
import { systemClock } from "../../../src/core/base/time.ts";
import { ended, ManualClock, runCli, signalSender, twoNights } from "../../support/index.ts";
import { holdTwoNights } from "./support/two-nights-held.ts";

describe("verify", async () => {
  const { scene, node, second: db } = await holdTwoNights(12);

  test("against the node it was read from: every account drawn agrees, and another run draws others", async () => {
    const asked = async (startMs: number) => {
      const begun = node.requests.length;
      const { json } = await ended(
        runCli(["verify", "--db", db, "--against", node.url, "--rate", "0", "--sample", "8", "--json"], {
          clock: new ManualClock({ startMs, skipSleeps: true }),
        }),
      );
      expect(json()).toMatchObject({ ok: true, sample: { drawn: 8, agree: 8, unread: {} }, checked: { accounts_read_again: 8 } });
      return new Set(node.requests.slice(begun).map(({ path, query }) => `${path}?${query}`));
    };
    const first = await asked(1);
    expect(await asked(2)).not.toEqual(first);
    expect(first.size).toBe(8 * 2 + 1);
  });

  test("against a node that says otherwise: 6, with both values", async () => {
    const other = twoNights(12, 2);
    await using liar = await startSimNode({ ledger: other.ledger });
    const { json } = await ended(runCli(["verify", "--db", db, "--against", liar.url, "--rate", "0", "--sample", "26", "--json"]), 6);
    const { findings } = json() as { findings: { table: string; row: string; problem: string }[] };
    expect(findings.map(({ table }) => table)).toContain("_listing_modules");
    for (const { row, problem } of findings) {
      expect(row).toMatch(/^0x\S+( \w+)? at ledger version \d+$/);
      expect(problem).toMatch(/^\S+( record)? is stored, and http:\S+ gives \S+( record)?$/);
    }
  });

  test("against another chain: 4", async () => {
    await using stranger = await startSimNode({ ledger: new SimLedger({ chainId: 9 }) });
    const { json } = await ended(runCli(["verify", "--db", db, "--against", stranger.url, "--rate", "0", "--json"]), 4);
    expect(json()).toMatchObject({ error: { code: "MOVEDEX_WRONG_CHAIN" } });
  });

  test("a signal ends it early, with its exit code, and it says that the rest is not checked", async () => {
    let ms = 0;
    const clock = { ...systemClock, monotonic: () => (ms += 1000) };
    const stopped = (signal: "SIGINT" | "SIGTERM", ...more: string[]) =>
      runCli(["verify", "--db", db, ...more], { clock, signals: (deliver) => deliver(signal) });
    const { stdout } = await ended(stopped("SIGTERM"), 143);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /: stopped by SIGTERM before the end\. The rest is not checked\. So far: nothing wrong in 2 of \d+ tables \(/,
    );
    const { json } = await ended(stopped("SIGINT", "--json"), 130);
    expect(json()).toMatchObject({ ok: false, stopped_by: "SIGINT", checked: { tables: 2 }, findings_count: 0, findings: [] });
  });

  test("a signal while the sample is read again stops it too", async () => {
    const sender = signalSender();
    const meanwhile = { fault: faults.meanwhile("SIGINT", () => sender.send("SIGINT")), at: 6 };
    await using stopping = await startSimNode({ ledger: scene.ledger, faults: faults.planFaults([meanwhile]) });
    const argv = ["verify", "--db", db, "--against", stopping.url, "--rate", "0", "--concurrency", "1", "--sample", "20", "--json"];
    const { json } = await ended(runCli(argv, { signals: sender.signals }), 130);
    expect(json()).toMatchObject({
      ok: false,
      stopped_by: "SIGINT",
      findings_count: 0,
      sample: { unread: { stopped: expect.any(Number) } },
    });
  });
});
