import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { neighboursOf } from "../../../src/archive/snapshots/covering.ts";
import { sqliteSession } from "../../../src/engine/sqlite/statements.ts";

/** The stretches of versions that are covered, over all that were sealed. */
function spansOver(sealed: readonly (readonly [version: bigint, isCovered: boolean])[]): { from: bigint; to: bigint | null }[] {
  const spans: { from: bigint; to: bigint | null }[] = [];
  let open: { from: bigint; to: bigint | null } | undefined;
  for (const [version, isCovered] of sealed) {
    if (!isCovered) open = undefined;
    else if (open !== undefined) open.to = version;
    else {
      open = { from: version, to: version };
      spans.push(open);
    }
  }
  if (open !== undefined) open.to = null;
  return spans;
}

test("finds an account's neighbours among the snapshots that cover it", async () => {
  const database = new Database(":memory:");
  database.exec("CREATE TABLE _snapshots (ledger_version INTEGER PRIMARY KEY, status TEXT)");
  database.exec("CREATE TABLE _coverage (address_id INTEGER, from_version INTEGER, to_version INTEGER)");
  const session = sqliteSession(database, ":memory:");
  const version = fc.bigInt({ min: 0n, max: 60n });
  const rows = fc.uniqueArray(fc.tuple(version, fc.boolean()), { selector: ([v]) => v, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(rows, version, async (rows, at) => {
      const sealed = rows.filter(([v]) => v !== at).sort(([a], [b]) => (a < b ? -1 : 1));
      database.exec("DELETE FROM _snapshots; DELETE FROM _coverage");
      for (const [v] of sealed) database.prepare("INSERT INTO _snapshots VALUES (?, 'sealed')").run(v);
      for (const { from, to } of spansOver(sealed)) database.prepare("INSERT INTO _coverage VALUES (7, ?, ?)").run(from, to);
      const covered = sealed.filter(([, isCovered]) => isCovered).map(([v]) => v);
      const wanted = { previous: covered.findLast((v) => v < at), next: covered.find((v) => v > at) };
      expect(await neighboursOf(session, 7, at)).toEqual(wanted);
    }),
    { numRuns: 1000 },
  );
});
