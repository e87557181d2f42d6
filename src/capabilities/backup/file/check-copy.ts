import type { Database } from "better-sqlite3";
import { equalBytes, formatHex } from "../../../core/base/bytes.ts";
import { printable } from "../../../core/base/printable.ts";
import { derivedRowsOf, type Hooks } from "../../../core/cli/hooks.ts";
import { countSnapshot } from "../../../core/db/archive/snapshots/snapshot-digest.ts";
import type { Integer } from "../../../core/db/engine/engine.ts";
import { damagedFile } from "../../../core/db/engine/errors.ts";
import { textsOf } from "../../../core/db/engine/row-shape.ts";
import { checkOwner, openFile } from "../../../core/db/engine/sqlite/open-file.ts";
import { guarded } from "../../../core/db/engine/sqlite/sqlite-errors.ts";
import { addedTo, compareSchema } from "../../../core/db/engine/sqlite/tables/expected-schema.ts";
import { readSchemaState } from "../../../core/db/engine/sqlite/tables/migrate.ts";
import { verifySession } from "../../../core/db/engine/sqlite/verify-file.ts";
import { sealed } from "../../../core/db/schema/sql/predicates.ts";
import { named, sql } from "../../../core/db/schema/sql/sql.ts";
import { verify } from "../../verify/verify.ts";

/** What a checked copy holds. */
type Held = {
  /** Whether its tables are those of an older movedex: what they hold can be checked once they are migrated. */
  readonly isOlder: boolean;
  /** The ledger versions of its sealed snapshots, ascending. */
  readonly versions: readonly bigint[];
  /** The newest snapshot's seal, 64 hex digits; null without one. */
  readonly newestDigest: string | null;
};

export type Copied = Held & {
  readonly bytes: number;
  readonly databaseBytes: number;
  /** Of the database's plain bytes, 64 hex digits. */
  readonly sha256: string;
};

/** A copy may have the tables of an older movedex, which named this one otherwise. */
const tableOfSeals = sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('pins', '_pins')`;
const sealsIn = (table: string) =>
  sql<[version: Integer, digest: Uint8Array]>`SELECT p.ledger_version, p.digest FROM ${named(table)} p WHERE ${sealed("p")}
    ORDER BY p.ledger_version`;

/**
 * Makes one plain file of a copy that nobody else uses, and makes sure that it is a whole database of movedex's: every page and reference
 * in order, its oldest and newest snapshot as their seals say; with `thoroughBy` all that `verify` checks. Errors name `path`, which stays.
 *
 * @throws StoreError `MOVEDEX_STORE_DAMAGED`, `MOVEDEX_STORE_FOREIGN`, `MOVEDEX_STORE_NOT_A_DATABASE`, `MOVEDEX_STORE_NEWER`
 */
export async function checkCopy(copy: string, path: string, thoroughBy?: readonly Hooks[]): Promise<Held> {
  const database = openFile(copy, "copy", { fileMustExist: true });
  try {
    const isOlder = guarded(path, "check the copy", () => checkFile(database, path));
    const opened = verifySession(database, path);
    const { session } = opened;
    const seals = await session.all(sealsIn((await textsOf(session, tableOfSeals))[0] ?? "_all_snapshots"));
    const newest = seals.at(-1);
    // What older tables hold cannot be read before they are migrated, which is not done to a copy.
    for (const [version, digest] of isOlder || newest === undefined ? [] : new Set([seals[0] ?? newest, newest]))
      if (!equalBytes((await countSnapshot(session, BigInt(version))).digest, digest))
        throw damagedFile(path, `the snapshot of ledger version ${version} does not hold what its seal says`);
    if (!isOlder && thoroughBy !== undefined)
      for await (const { damage } of verify(opened, { part: 0, of: 1 }, await derivedRowsOf(thoroughBy)))
        for (const { table, row, problem } of damage) throw damagedFile(path, printable(`${table} ${row}: ${problem}`, 1000));
    const versions = seals.map(([version]) => BigInt(version));
    return { isOlder, versions, newestDigest: newest === undefined ? null : formatHex(newest[1]) };
  } finally {
    database.close();
  }
}

/** Checks a file's schema, pages and references. @returns whether its tables are older than this movedex's */
function checkFile(database: Database, path: string): boolean {
  database.defaultSafeIntegers(true);
  checkOwner(database, path);
  const { applied, known } = readSchemaState(database, path);
  // Comes first: reading a table whose schema another program wrote may run code in that schema.
  const {
    damage: [strange],
    added,
  } = compareSchema(database, applied);
  if (strange?.isAdded) throw addedTo(path, strange);
  if (strange !== undefined)
    throw damagedFile(path, `\`${strange.name}\`: ${strange.problem}. Only what movedex makes itself can be restored safely`);
  database.pragma("journal_mode = DELETE");
  const found = database.pragma("integrity_check(1)", { simple: true });
  if (found !== "ok") throw damagedFile(path, printable(String(found)));
  const [stray] = (database.pragma("foreign_key_check") as readonly { readonly table: string }[]).filter(
    ({ table }) => !added.includes(table),
  );
  if (stray !== undefined) throw damagedFile(path, `a row of ${printable(stray.table)} refers to a row that is not there`);
  return applied !== known;
}
