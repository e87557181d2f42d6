import { copyFileSync, renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { COUNT, useNights } from "../../support/nights.ts";
import { runCli } from "../../support/run-cli.ts";

const at = useNights();

describe("a database that does not stay where it is", () => {
  test.each(["deleted", "moved, and another put there"])("%s in mid-run: the run fails, whatever it sealed", async (how) => {
    const db = at.place.file("a.db");
    await using quiet = await startSimNode({ ledger: at.scene.ledger });
    await at.sync(quiet, "a.db", at.scene.first);
    copyFileSync(db, at.place.file("copy.db"));
    const take = faults.meanwhile("the database is taken away", () => {
      if (how === "deleted") rmSync(db);
      else {
        renameSync(db, at.place.file("moved.db"));
        copyFileSync(at.place.file("copy.db"), db);
      }
    });
    await using node = await at.nodeWith([{ fault: take, at: 10 }]);
    const { code, stderr } = await at.sync(node, "a.db", at.scene.second);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/a\.db` was moved, replaced or deleted during the run/)]);
  });
});

describe("what cannot be read", () => {
  test("the horizon overtakes the pin in the middle of a listing: the part is not kept", async () => {
    const prune = faults.meanwhile("prune", () => at.scene.ledger.pruneTo(at.scene.first + 100n));
    const lastPages = ({ target }: { target: string }) => target.includes("start=");
    await using node = await at.nodeWith([{ fault: prune, match: lastPages, at: 3 }]);
    const { json } = await ended(at.sync(node, "a.db", at.scene.first, ["--concurrency", "1", "--page-size", "2"]), 3);
    expect(json()["status"]).toBe("sealed_with_gaps");
    const counts = at.rows("a.db", "SELECT address, count(*) FROM modules_at GROUP BY 1") as [string, number][];
    expect(counts.map(([, modules]) => modules)).toEqual(counts.map(() => 3));
    expect(at.rows("a.db", "SELECT count(*) FROM gaps WHERE reason = 'pruned'")).toEqual([[COUNT + 1 - (json()["accounts"] as number)]]);
  });

  test("a pin that is pruned between two runs: the second seals what the first read, then takes the newest", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    const first = await at.sync(node, "a.db", at.scene.first, ["--max-requests", "9"]);
    const accounts = first.json()["accounts"] as number;
    expect(accounts).toBeGreaterThan(0);
    at.scene.ledger.pruneTo(at.scene.second - 100n);
    const second = await ended(at.sync(node, "a.db", undefined), 3);
    expect(second.stderr).toContain(`before the snapshot of ledger version ${at.scene.first} was finished; sealing what was read`);
    expect(at.rows("a.db", "SELECT ledger_version, status, accounts, gaps FROM snapshots ORDER BY 1")).toEqual([
      [Number(at.scene.first), "sealed_with_gaps", accounts, COUNT + 1 - accounts],
      [Number(at.scene.second), "sealed", COUNT + 1, 0],
    ]);
    await ended(at.sync(node, "a.db", undefined));
  });

  test("a pin of which nothing was read is given up, and its version may be taken again", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    await at.sync(node, "a.db", at.scene.first, ["--max-requests", "2"]);
    at.scene.ledger.pruneTo(at.scene.second - 100n);
    await ended(at.sync(node, "a.db", undefined), 3);
    expect(at.rows("a.db", "SELECT ledger_version FROM snapshots")).toEqual([[Number(at.scene.second)]]);
    expect(at.rows("a.db", "SELECT DISTINCT status, reason FROM gaps")).toEqual([["abandoned", "pruned"]]);
    // What the night points at names them too.
    const [[count]] = at.rows("a.db", "SELECT count(*) FROM gaps") as [[number]];
    const gaps = (...flags: string[]) => runCli(["gaps", "--db", at.place.file("a.db"), ...flags]);
    expect((await gaps()).stdout).toContain(
      `ledger version ${at.scene.first}, given up: ${count} gaps (0 to be tried again, 0 parked, ${count} final)`,
    );
    expect((await gaps("--json", "--limit", "1")).json()).toMatchObject({
      final: count,
      snapshots: [{ ledger_version: `${at.scene.first}`, final: count, given_up: true }],
      gaps: [{ reason: "pruned", state: "final" }],
    });
    at.scene.ledger.unpruneTo(0n);
    expect((await at.sync(node, "a.db", at.scene.first)).json()).toMatchObject({ status: "sealed", gaps: 0 });
  });
});
