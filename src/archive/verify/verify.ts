import type { Cell } from "../../base/cell.ts";
import { printable } from "../../base/printable.ts";
import { type Check, checkOf, type Damage, FILE, inSlice, type Slice, type VerifyDoor } from "../../engine/check.ts";
import { databaseAt } from "../../engine/database-at.ts";
import type { Session } from "../../engine/engine.ts";
import { damagedFile } from "../../engine/errors.ts";
import { isAsWritten } from "../../schema/sql/checksum.ts";
import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { isChecked, type TableData } from "../../schema/table.ts";
import { tableList } from "../../schema/tables/tables.ts";
import { viewNames } from "../../schema/view-statements.ts";
import { readChain } from "../chain.ts";
import { addressCheck, listingCheck } from "./accounts.ts";
import { bytecodeCheck, damagedBytes } from "./bytecodes.ts";
import { judgementCheck } from "./judgements.ts";
import { samplingQueries } from "./sampling.ts";
import { sealCheck } from "./seals.ts";
import { wordCheck } from "./search-index.ts";
import { spanCheck } from "./spans.ts";

export type { Damage, Slice } from "../../engine/check.ts";
export type { HeldAccount, SampledAccount } from "./sampling.ts";

/** One step of verifying: number `done` of `total` things of the kind `check`, and what is wrong with it. */
export type VerifyStep = { readonly check: string; readonly done: number; readonly total: number; readonly damage: readonly Damage[] };

/** A database as verifying sees it: one state of it, whatever others write meanwhile, and never changed. */
export type Verification = Awaited<ReturnType<typeof openVerification>>;

/**
 * Opens a database to verify it. While it is open, the writers' log cannot be folded in and a server keeps old rows, so close it
 * when done. `onNotice` hears, in a sentence, of what cannot be looked at. @throws StoreError when it cannot be read as a database at all
 */
export async function openVerification(path: string, onNotice?: (sentence: string) => void) {
  const door = await databaseAt(path).openToVerify(onNotice);
  const { session, close } = door;
  return {
    /** Looks at everything, or at a slice of it. Leaving the loop early costs nothing more. */
    run: (slice: Slice) => verify(door, slice),
    /** Makes sure that rows can be made again. @throws StoreError `MOVEDEX_STORE_DAMAGED` where the file or any bytecode is damaged */
    assertSource: async (): Promise<void> => {
      const damage = await sourceDamage(door);
      if (damage === undefined) return;
      const what = `${damage.table} ${damage.row}: ${printable(damage.problem)}`;
      throw damagedFile(
        path,
        `${what}. Rows could not be made again from it, and none was deleted. Restore a backup, then import this database`,
      );
    },
    ...samplingQueries(session),
    chainId: () => readChain(session),
    close,
  };
}

/** Runs every check, one after the other. A check that the database's damage brings down is damage too, and the others go on. */
export async function* verify(door: Omit<VerifyDoor, "close">, slice: Slice): AsyncGenerator<VerifyStep> {
  const { session, tables, alteredViews, damageIn } = door;
  const checks: Readonly<Record<string, () => Check>> = {
    tables: () => tables(slice),
    _bytecodes: () => bytecodeCheck(session, slice),
    _addresses: () => addressCheck(session, slice),
    observations: () => observationCheck(session, slice),
    _search_words: () => wordCheck(session, slice),
    _judged_upgrades: () => judgementCheck(session, slice),
    _listings: () => listingCheck(session, slice),
    spans: () => spanCheck(session, slice),
    _all_snapshots: () => sealCheck(session, slice),
    views: () => viewCheck(alteredViews, slice),
  };
  let isDamaged = false;
  // SQLite's own check names a value of another type than its column's first; later checks may stumble over it.
  const damageOrType = (error: unknown): string | undefined =>
    damageIn(error) ?? (isDamaged && error instanceof TypeError ? "a value is of another type than its column" : undefined);
  for (const [subject, prepare] of Object.entries(checks)) {
    for await (const step of runCheck(subject, prepare, damageOrType)) {
      isDamaged ||= step.damage.length > 0;
      yield step;
    }
  }
}

/** The first damage of that which all rows are made from: pages and indexes of the file, bytes of bytecode. */
async function sourceDamage({ session, tables, damageIn }: VerifyDoor): Promise<Damage | undefined> {
  for await (const { damage } of runCheck(FILE, () => tables({ part: 0, of: 1 }), damageIn)) {
    const found = damage.find(({ table }) => table === FILE);
    if (found !== undefined) return found;
  }
  return await damagedBytes(session);
}

async function* runCheck(subject: string, prepare: () => Check, damageIn: VerifyDoor["damageIn"]): AsyncGenerator<VerifyStep> {
  let done = 0;
  let name = subject;
  try {
    const check = prepare();
    name = check.name;
    const total = await check.total();
    for await (const damage of check.steps()) {
      done += 1;
      yield { check: name, done, total: Math.max(done, total), damage };
    }
  } catch (error) {
    const failure = damageIn(error);
    if (failure === undefined) throw error;
    const problem = `could not be read to its end: ${printable(failure)}`;
    yield { check: name, done, total: done, damage: [{ table: subject, row: "", problem }] };
  }
}

/** What people ask: each view, and what says what it means. */
function viewCheck(alteredViews: VerifyDoor["alteredViews"], { part }: Slice): Check {
  const names = part === 0 ? [...viewNames("sqlite"), "documentation"] : [];
  return {
    name: "views",
    total: async () => names.length,
    steps: async function* () {
      const altered = part === 0 ? await alteredViews() : undefined;
      if (altered === undefined) return;
      const problem = "is not as movedex made it; `movedex verify --rebuild` makes it anew";
      for (const name of names) yield altered.includes(name) ? [{ table: name, row: "", problem }] : [];
    },
  };
}

/** Columns of keys that are called something else when a person is told of the row. */
const wordsOfColumns: Readonly<Record<string, string>> = {
  address_id: "account",
  name: "module",
  ledger_version: "ledger version",
  from_version: "from ledger version",
  source_id: "source",
};

const checked = tableList.filter(isChecked);

/** Rows that nothing else in the database can tell again: each is as it was written, and so is what it refers to. */
export function observationCheck(session: Session, slice: Slice): Check {
  return checkOf("tables of observations", checked, async (table) => {
    const wrong = await session.all(selectWrong(table, slice));
    return wrong.map(([checksum, ...key]) => ({
      table: table.name,
      row: table.key.map((name, i) => `${wordsOfColumns[name] ?? name} ${printable(`${key[i]}`, 80)}`).join(", "),
      problem: checksum === null ? "it has no checksum" : "it was changed or damaged: its checksum is of other values",
    }));
  });
}

/** Rows whose checksum is not what their columns give: the columns of the key, an account by its address. */
function selectWrong(table: TableData, slice: Slice): Sql<readonly [checksum: Cell, ...key: Cell[]]> {
  const of = named(table.name);
  const keys = table.key.map((name) => {
    const own = sql`${of}.${named(name)}`;
    return name === "address_id" ? sql`coalesce((SELECT a.address FROM _addresses a WHERE a.id = ${own}), CAST(${own} AS text))` : own;
  });
  const number = table.key.find((name) => ["int", "version"].includes(table.columns[name]?.kind as string));
  // A row without a number in its key would fall into no slice.
  const isLooked = number !== undefined ? inSlice(sql`${of}.${named(number)}`, slice) : slice.part === 0 ? sql`TRUE` : sql`FALSE`;
  return sql`SELECT ${of}.checksum, ${joined(keys, ", ")} FROM ${of} WHERE ${isLooked}
    AND NOT ${isAsWritten(table)} LIMIT 100`;
}
