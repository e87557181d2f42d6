import { printable } from "../../core/base/printable.ts";
import type { DerivedRows } from "../../core/cli/hooks.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import { type Check, type Damage, FILE, type Slice, type VerifyDoor } from "../../core/db/engine/check.ts";
import type { ReadOptions } from "../../core/db/engine/database.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { damagedFile } from "../../core/db/engine/errors.ts";
import { bytecodeCheck, wordCheck } from "./bytecodes.ts";
import { addressCheck, listingCheck, observationCheck, sealCheck, spanCheck } from "./observations.ts";
import { samplingQueries } from "./sampled-accounts.ts";

export type { Damage, Slice } from "../../core/db/engine/check.ts";

/** One step of verifying: number `done` of `total` things of the kind `check`, and what is wrong with it. */
export type VerifyStep = { readonly check: string; readonly done: number; readonly total: number; readonly damage: readonly Damage[] };

/**
 * Opens a database to verify it. While it is open, the writers' log cannot be folded in and a server keeps old rows, so close it
 * when done. @throws StoreError when it cannot be read as a database at all
 */
export async function openVerification(path: string, options?: Pick<ReadOptions, "lockTimeoutMs">) {
  const door = await databaseAt(path).openToVerify(options);
  const { session, close } = door;
  return {
    /** Looks at everything, or at a slice of it, with what capabilities derive. Leaving the loop early costs nothing more. */
    run: (slice: Slice, derived: readonly DerivedRows[]) => verify(door, slice, derived),
    /** Makes sure that rows can be made again. @throws StoreError `MOVEDEX_STORE_DAMAGED` where the file or any bytecode is damaged */
    assertSource: async (): Promise<void> => {
      const [strange] = door.schema();
      if (strange !== undefined)
        throw damagedFile(path, `\`${strange.table}\`: ${strange.problem}. Take back what was changed; no row was deleted`);
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
    added: (): readonly string[] => door.added?.() ?? [],
    close,
  };
}

/**
 * Runs every check, one after the other. A check that the database's damage brings down is damage too, and the others go on. Where
 * tables, indexes or triggers are not as movedex makes them, nothing is read further.
 */
export async function* verify(door: Omit<VerifyDoor, "close">, slice: Slice, derived: readonly DerivedRows[]): AsyncGenerator<VerifyStep> {
  const { session, schema, tables, views, damageIn } = door;
  const others: Readonly<Record<string, () => Check>> = {
    _bytecodes: () => bytecodeCheck(session, slice),
    _addresses: () => addressCheck(session, slice),
    observations: () => observationCheck(session, slice),
    _search_words: () => wordCheck(session, slice),
    ...Object.fromEntries(derived.map(({ table, check }) => [table, () => check(session, slice)])),
    _listings: () => listingCheck(session, slice),
    spans: () => spanCheck(session, slice),
    _all_snapshots: () => sealCheck(session, slice),
    ...(views && { views: () => views(slice) }),
  };
  const isStrange = slice.part === 0 && schema().length > 0;
  const checks = { tables: () => tables(slice), ...(isStrange ? {} : others) };
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
  const checks = { [FILE]: () => tables({ part: 0, of: 1 }), _bytecodes: () => bytecodeCheck(session, { part: 0, of: 1 }, false) };
  for (const [subject, prepare] of Object.entries(checks))
    for await (const { damage } of runCheck(subject, prepare, damageIn)) {
      const found = damage.find(({ table }) => table === subject);
      if (found !== undefined) return found;
    }
  return undefined;
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
