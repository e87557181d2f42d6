import { describe, expect, test } from "vitest";
import { SimLedger, startSimNode } from "../../../sim/index.ts";
import { databaseContent, ended, runCli, twoNights } from "../../support/index.ts";
import { bytesIn, errorOf, holdNight, sync } from "./support/held-night.ts";

const at = await holdNight();

describe("what goes wrong with the node", () => {
  const chains: readonly (readonly [string, () => SimLedger, RegExp])[] = [
    ["another chain id", () => ledgerLike({ chainId: 5 }), /this database is of chain 4, and .* answers for chain 5/],
    ["the same id, other modules at a version that is stored", () => ledgerLike({ seed: 9 }), /was stored with SHA-256/],
    ["a ledger begun anew: versions lower, time later", () => begunAnew(), /on one ledger they rise together/],
  ];
  test.each(chains)("wrong chain, %s: exit 4, and not a byte of the database changes", async (_, make, words) => {
    await using other = await startSimNode({ ledger: make() });
    using own = at.copyOfHeld();
    const before = bytesIn(own.path);
    for (const more of [[], ["--dry-run"]]) {
      const result = await ended(sync(other.url, own.db, ...more), 4);
      expect(errorOf(result)).toMatchObject({ code: "MOVEDEX_WRONG_CHAIN", message: expect.stringMatching(words) });
      expect(errorOf(result).message).toContain("Nothing was written. Use another --db for this ledger, or the right node");
      expect(bytesIn(own.path)).toEqual(before);
    }
  });

  test("a night that the node did not answer is among the runs, with how it ended", async () => {
    using own = at.copyOfHeld();
    const runs = async () => JSON.parse((await ended(runCli(["runs", "--json", "--db", own.db]))).stdout) as Record<string, unknown>[];
    const before = await runs();
    await ended(sync("http://127.0.0.1:9/v1", own.db), 1);
    const [newest, ...others] = await runs();
    expect(others).toEqual(before);
    expect(newest).toMatchObject({ command: "sync", exit: "failed", ledger_version: null, requests: expect.any(Number), accounts: 0 });
    expect(Number(newest?.["requests"])).toBeGreaterThan(5);
    expect((await runCli(["status", "--db", own.db])).stdout).toMatch(/^last run +sync, begun .*: failed, \d+ requests$/m);
  });

  test("a pin that is pruned exits 3, one in the future 1, and nothing is written", async () => {
    using own = at.copyOfHeld();
    const before = databaseContent(own.db);
    const future = await ended(sync(at.node.url, own.db, "--ledger-version", "999999999"), 1);
    expect(errorOf(future)).toMatchObject({
      code: "MOVEDEX_PIN_FUTURE",
      facts: { wanted: "999999999", newest: `${at.scene.ledger.head}` },
      message: expect.stringContaining("ledger version 999999999 does not exist yet"),
    });
    at.scene.ledger.pruneTo(500n);
    const pruned = await sync(at.node.url, own.db, "--ledger-version", "7");
    at.scene.ledger.unpruneTo(0n);
    expect(pruned.code).toBe(3);
    expect(errorOf(pruned)).toMatchObject({
      code: "MOVEDEX_PIN_PRUNED",
      message: expect.stringContaining("oldest readable version is 500"),
    });
    expect(databaseContent(own.db)).toEqual(before);
  });
});

function ledgerLike({ chainId = 4, seed = 1 }: { chainId?: number; seed?: number }): SimLedger {
  return twoNights(8, seed, { chainId }).ledger;
}

/** Fewer versions than were seen, at a later time. */
function begunAnew(): SimLedger {
  const ledger = new SimLedger({ genesisUsec: 1_798_761_600_000_000n });
  ledger.advance(50n);
  return ledger;
}
