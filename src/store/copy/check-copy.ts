import type { Database } from "better-sqlite3";
import { equalBytes } from "../../base/bytes.ts";
import { printable } from "../../base/printable.ts";
import { schemaDamage } from "../connection/expected-schema.ts";
import { readSchemaState } from "../connection/migrate.ts";
import { openFile } from "../connection/open-file.ts";
import { checkOwner } from "../connection/ownership.ts";
import { guarded } from "../connection/sqlite-errors.ts";
import type { Session } from "../engine/engine.ts";
import { sqliteSession } from "../engine/sqlite/sqlite-session.ts";
import { StoreError } from "../errors.ts";
import { SEALED } from "../snapshots/held-snapshots.ts";
import { countSnapshot } from "../snapshots/snapshot-totals.ts";
import { type Verified, verify } from "../verify/verify.ts";

/** What a sealed snapshot's row says of it. */
export type SealRow = { readonly ledger_version: bigint; readonly digest: Uint8Array };

/** The seals that a database holds, oldest version first. */
export function readSeals(database: Database): SealRow[] {
  return database.prepare<[], SealRow>(`SELECT ledger_version, digest FROM _pins WHERE ${SEALED} ORDER BY ledger_version`).all();
}

/** How a copy is checked. */
export type CopyCheck = {
  /** The seals it must have; undefined takes those it has. */
  readonly expected?: readonly SealRow[];
  /** Whether all that `movedex verify` looks at is looked at: every bytecode hashed and decoded again, every row derived again. */
  readonly isThorough: boolean;
};

/**
 * Makes sure that a file which no other process uses is a whole database of movedex's, and makes it one plain file: its tables,
 * indexes and triggers those that movedex makes, every page and index read, every reference followed, and the content of the oldest and the newest snapshot counted again and held
 * against their seals.
 *
 * @returns its seals
 * @throws StoreError `MOVEDEX_STORE_DAMAGED`, `MOVEDEX_STORE_FOREIGN`, `MOVEDEX_STORE_NOT_A_DATABASE`, `MOVEDEX_STORE_NEWER`
 */
export async function checkCopy(path: string, { expected, isThorough }: CopyCheck): Promise<SealRow[]> {
  const database = openFile(path, "copy", { fileMustExist: true });
  try {
    const { seals, isToday } = guarded(path, "check the copy", () => {
      database.defaultSafeIntegers(true);
      checkOwner(database, path);
      const { applied, known } = readSchemaState(database, path);
      checkSchema(database, path, applied);
      database.pragma("journal_mode = DELETE");
      checkStructure(database, path);
      const seals = readSeals(database);
      if (expected !== undefined && !sameSeals(seals, expected)) throw damaged(path, "its seals are not those of the original");
      return { seals, isToday: applied === known };
    });
    // An older movedex's tables cannot be read by this one before they are migrated, and a copy is not the place to do that.
    const session = sqliteSession(database, path);
    if (isToday) await checkSeals(session, path, seals);
    if (isToday && isThorough) await checkEverything({ session, file: database }, path);
    return seals;
  } finally {
    database.close();
  }
}

/** Comes first: reading a table whose schema another program wrote may run code in that schema. */
function checkSchema(database: Database, path: string, applied: number): void {
  const [first] = schemaDamage(database, applied);
  if (first === undefined) return;
  const why = "Only what movedex makes itself can be restored safely: drop what was added to the database, then back it up again";
  throw damaged(path, `\`${first.name}\`: ${first.problem}. ${why}`);
}

function checkStructure(database: Database, path: string): void {
  const found = database.pragma("integrity_check(1)", { simple: true });
  if (found !== "ok") throw damaged(path, printable(String(found)));
  const [stray] = database.pragma("foreign_key_check") as readonly { readonly table: string }[];
  if (stray !== undefined) throw damaged(path, `a row of ${printable(stray.table)} refers to a row that is not there`);
}

async function checkSeals(session: Session, path: string, seals: readonly SealRow[]): Promise<void> {
  for (const seal of new Set([seals[0], seals.at(-1)])) {
    if (seal === undefined || equalBytes((await countSnapshot(session, seal.ledger_version)).digest, seal.digest)) continue;
    throw damaged(path, `the snapshot of ledger version ${seal.ledger_version} does not hold what its seal says`);
  }
}

async function checkEverything(verified: Verified, path: string): Promise<void> {
  for await (const { damage } of verify(verified, { part: 0, of: 1 })) {
    const [first] = damage;
    if (first !== undefined) throw damaged(path, printable(`${first.table} ${first.row}: ${first.problem}`, 1000));
  }
}

function sameSeals(seals: readonly SealRow[], expected: readonly SealRow[]): boolean {
  return (
    seals.length === expected.length &&
    seals.every(({ ledger_version, digest }, i) => ledger_version === expected[i]?.ledger_version && equalBytes(digest, expected[i].digest))
  );
}

function damaged(path: string, found: string): StoreError {
  return new StoreError("MOVEDEX_STORE_DAMAGED", `\`${printable(path)}\` is damaged: ${found}.`, { facts: { path } });
}
