import { statSync } from "node:fs";
import { expect } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { valuesOf } from "../../support/store/ask-file.ts";
import { test } from "../../support/test.ts";
import { twoNights } from "../../support/two-nights.ts";

const ACCOUNTS = 10_000;
/** A night's pin, its row in the diary, samples of the node's window, and when the ledger made what they name. */
const ROWS_OF_A_NIGHT = ["_all_snapshots", "_head_samples", "_ledger_times", "_runs"];

test(`a night in which nothing changed adds the same few rows, and at most 16 KiB, to ${ACCOUNTS} accounts`, async ({ place }) => {
  const scene = twoNights(ACCOUNTS);
  await using node = await startSimNode({ ledger: scene.ledger, log: false });
  const db = place.file("night.db");
  await runCli(["targets", "import", scene.targetsFile(place.file("targets.csv")), "--db", db]);
  const clock = new ManualClock({ skipSleeps: true });
  const night = async (): Promise<{ rows: ReadonlyMap<string, number>; size: number }> => {
    scene.ledger.advance(100n);
    await clock.advance(86_400_000);
    const { json } = await ended(
      runCli(["sync", "--rpc", node.url, "--db", db, "--rate", "0", "--concurrency", "16", "--json"], {
        clock,
      }),
    );
    expect(json()).toMatchObject({ status: "sealed", accounts: ACCOUNTS + 1, gaps: 0 });
    return { rows: rowCounts(db), size: statSync(db).size };
  };
  await night();
  const nights = [await night(), await night()];
  for (const [index, { rows, size }] of nights.slice(1).entries()) {
    const before = nights[index] as (typeof nights)[number];
    const grown = [...rows].filter(([table, count]) => count !== before.rows.get(table));
    expect(grown.map(([table]) => table).sort()).toEqual(ROWS_OF_A_NIGHT);
    expect(grown.every(([table, count]) => count - (before.rows.get(table) ?? 0) <= 4)).toBe(true);
    expect(size - before.size).toBeLessThanOrEqual(16_384);
  }
});

function rowCounts(path: string): ReadonlyMap<string, number> {
  const tables = valuesOf<string>(
    path,
    // A virtual table's rows are counted in the tables behind it.
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'",
  );
  return new Map(tables.map((table) => [table, valuesOf<number>(path, `SELECT count(*) FROM "${table}"`)[0] ?? 0]));
}
