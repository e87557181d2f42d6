import { printable } from "../../core/base/printable.ts";
import type { DerivedRows } from "../../core/cli/hooks.ts";
import { type Check, type Damage, FILE, type Slice, type VerifySession } from "../../core/db/engine/check.ts";
import type { ReadOptions } from "../../core/db/engine/database.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { damagedFile } from "../../core/db/engine/errors.ts";
import { searchTables } from "../../core/db/schema/tables/content.ts";
import { countTables, derivedTables } from "../../core/db/schema/tables/derived.ts";
import { tableList } from "../../core/db/schema/tables/tables.ts";
import { bytecodeCheck, countCheck, wordCheck } from "./bytecodes.ts";
import { listingCheck, observationCheck, sealCheck, spanCheck } from "./observations.ts";

/** One step of verifying: number `done` of `total` things of the kind `check`, and what is wrong with it. */
export type VerifyStep = { readonly check: string; readonly done: number; readonly total: number; readonly damage: readonly Damage[] };

type Subjects = Readonly<Record<string, () => Check>>;

const WHOLE: Slice = { part: 0, of: 1 };

/**
 * Opens a database to verify it. While it is open, the writers' log cannot be folded in and a server keeps old rows, so close it
 * when done. @throws StoreError when it cannot be read as a database at all
 */
export async function openVerification(path: string, options?: Pick<ReadOptions, "lockTimeoutMs">) {
  const opened = await databaseAt(path).openToVerify(options);
  return {
    session: opened.session,
    /** Looks at everything, or at a slice of it, with what capabilities derive. Leaving the loop early costs nothing more. */
    run: (slice: Slice, derived: readonly DerivedRows[]) => verify(opened, slice, derived),
    /**
     * Makes sure that rows can be made again: from pages and indexes of the file, and bytes of bytecode.
     * @throws StoreError `MOVEDEX_STORE_DAMAGED` where one of them is damaged
     */
    assertSource: async (): Promise<void> => {
      const [strange] = opened.schema();
      if (strange !== undefined)
        throw damagedFile(path, `\`${strange.table}\`: ${strange.problem}. Take back what was changed; no row was deleted`);
      const sources = { [FILE]: () => opened.tables(WHOLE), _bytecodes: () => bytecodeCheck(opened.session, WHOLE, false) };
      for await (const { damage } of runChecks(sources, opened.damageIn)) {
        const found = damage.find(({ table }) => Object.hasOwn(sources, table));
        if (found === undefined) continue;
        const what = `${found.table} ${found.row}: ${printable(found.problem)}`;
        const advice = "Rows could not be made again from it, and none was deleted. Restore a backup, then import this database";
        throw damagedFile(path, `${what}. ${advice}`);
      }
    },
    /** Whether tables of the file are not as movedex makes them, so that nothing else is read. */
    isStrange: (): boolean => opened.schema().length > 0,
    added: (): readonly string[] => opened.added?.() ?? [],
    close: opened.close,
  };
}

/** Runs every check, one after the other. Where tables, indexes or triggers are not as movedex makes them, nothing is read further. */
export function verify(opened: Omit<VerifySession, "close">, slice: Slice, derived: readonly DerivedRows[]): AsyncGenerator<VerifyStep> {
  const { session, schema, tables, views, damageIn } = opened;
  const others: Subjects = {
    _bytecodes: () => bytecodeCheck(session, slice),
    observations: () => observationCheck(session, slice),
    _search_words: () => wordCheck(session, slice),
    _type_counts: () => countCheck(session, slice),
    ...Object.fromEntries(derived.map(({ table, check }) => [table, () => check(session, slice)])),
    _listings: () => listingCheck(session, slice),
    spans: () => spanCheck(session, slice),
    _all_snapshots: () => sealCheck(session, slice),
    ...(views && { views: () => views(slice) }),
  };
  const isStrange = slice.part === 0 && schema().length > 0;
  return runChecks({ tables: () => tables(slice), ...(isStrange ? {} : others) }, damageIn);
}

/** A check that the database's damage brings down is damage too, and the others go on. */
async function* runChecks(subjects: Subjects, damageIn: VerifySession["damageIn"]): AsyncGenerator<VerifyStep> {
  let isDamaged = false;
  for (const [subject, prepare] of Object.entries(subjects)) {
    let [name, done] = [subject, 0];
    try {
      const check = prepare();
      name = check.name;
      const total = await check.total();
      for await (const damage of check.steps()) {
        done += 1;
        isDamaged ||= damage.length > 0;
        yield { check: name, done, total: Math.max(done, total), damage };
      }
    } catch (error) {
      // SQLite's own check names a value of another type than its column's first; later checks may stumble over it.
      const isOfType = isDamaged && error instanceof TypeError;
      const failure = damageIn(error) ?? (isOfType ? "a value is of another type than its column" : undefined);
      if (failure === undefined) throw error;
      isDamaged = true;
      const problem = `could not be read to its end: ${printable(failure)}`;
      yield { check: name, done, total: done, damage: [{ table: subject, row: "", problem }] };
    }
  }
}

/** What can be done about damage: take back what somebody added, restore, make anew, or ask another node. */
export type DamageKind = "strange" | "stored" | "derived" | "disagrees";

/** The check by a node. */
export const REREAD = "accounts read again";

const madeAnew = [
  ...Object.values({ ...derivedTables, ...countTables, ...searchTables }),
  ...tableList.filter((table) => table.isMadeAnew),
];
const rebuilt: ReadonlySet<string> = new Set(madeAnew.map(({ name }) => name));

/** Which kind of damage a check has found in the database at a path. */
export function kindOf(check: string, { table, row }: Damage, path: string): DamageKind {
  // Pages and references are the server's own affair.
  if (check === "tables" && databaseAt(path).isShareable) return "strange";
  if (check === REREAD) return "disagrees";
  if (check === "views") return table === check ? "stored" : "derived";
  // Pages of a file, and what could not be read to its end, have no row. Rows that follow from a bytecode are named by their view.
  const isMadeAnew = rebuilt.has(table) || (check === "bytecodes" && table !== "_bytecodes");
  return row !== "" && isMadeAnew ? "derived" : "stored";
}

/** What to do about all of it, in a sentence. */
export function adviceOn(kinds: ReadonlySet<DamageKind>, path: string): string {
  if (kinds.has("strange")) return "Take back what was changed: drop what somebody added, or restore a backup. Then verify again.";
  if (kinds.has("stored"))
    return databaseAt(path).isShareable
      ? "Restore a backup of the server's database."
      : "Restore a backup (`movedex restore`), and import the damaged file into it for the nights since (`movedex import`).";
  if (kinds.has("derived")) return "All of that follows from stored bytecode: `movedex verify --rebuild` makes it anew.";
  return "Ask another node too (`--against`) before you believe either.";
}
