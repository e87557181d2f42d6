import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { neighboursOf } from "../../../src/capabilities/serve/operations/served-archive.ts";
import { sqliteSession } from "../../../src/core/db/engine/sqlite/statements.ts";
import { holdsFor } from "../../support/property/law.ts";

/** How a sealed snapshot has an account: not at all, its modules alone, or its record as well. */
type Way = "none" | "code" | "record";
type Stretch = { from: bigint; to: bigint | null; way: Way };

/** The stretches of versions that are covered in one way, over all that were sealed. */
function spansOver(sealed: readonly (readonly [version: bigint, way: Way])[]): Stretch[] {
  const spans: Stretch[] = [];
  for (const [version, way] of sealed) {
    const open = spans.at(-1);
    if (open?.way === way) open.to = version;
    else spans.push({ from: version, to: version, way });
  }
  const last = spans.at(-1);
  if (last !== undefined) last.to = null;
  return spans.filter(({ way }) => way !== "none");
}

test("finds an account's neighbours among the snapshots that cover it, and among those that have its record", async () => {
  const database = new Database(":memory:");
  database.exec("CREATE TABLE _all_snapshots (ledger_version INTEGER PRIMARY KEY, status TEXT)");
  database.exec("CREATE TABLE _coverage (address_id INTEGER, from_version INTEGER, to_version INTEGER, reads_record INTEGER)");
  const session = sqliteSession(database, ":memory:");
  const version = fc.bigInt({ min: 0n, max: 60n });
  const rows = fc.uniqueArray(fc.tuple(version, fc.constantFrom<Way>("none", "code", "record")), { selector: ([v]) => v, maxLength: 20 });
  const add = database.prepare("INSERT INTO _coverage VALUES (7, ?, ?, ?)");
  await holdsFor(1000, [rows, version], async (rows, at) => {
    const sealed = rows.filter(([v]) => v !== at).sort(([a], [b]) => (a < b ? -1 : 1));
    database.exec("DELETE FROM _all_snapshots; DELETE FROM _coverage");
    for (const [v] of sealed) database.prepare("INSERT INTO _all_snapshots VALUES (?, 'sealed')").run(v);
    for (const { from, to, way } of spansOver(sealed)) add.run(from, to, way === "record" ? 1 : 0);
    for (const [part, ways] of [
      ["modules", ["code", "record"]],
      ["record", ["record"]],
    ] as const) {
      const covered = sealed.filter(([, way]) => (ways as readonly Way[]).includes(way)).map(([v]) => v);
      const wanted = { previous: covered.findLast((v) => v < at), next: covered.find((v) => v > at) };
      expect(await neighboursOf(session, 7, at, part)).toEqual(wanted);
    }
  });
});
