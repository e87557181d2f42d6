import type { ErrorCodeAbi } from "../../abi/model.ts";
import type { Transaction } from "../../engine/engine.ts";
import type { ModuleId } from "../../move/module-id.ts";
import { structsIn, structsInType } from "../../move/types/format-type.ts";
import type { MoveType } from "../../move/types/types.ts";
import { jsonEach, jsonItem, lockToWrite } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type AbiRows, typesOf } from "./abi-rows.ts";
import type { Derivation } from "./derivation.ts";
import { DerivedBatch, readNextIds } from "./derived-batch.ts";
import { KnownContent } from "./known-content.ts";
import { ModuleNumbers } from "./module-ids.ts";
import { SearchWords } from "./search-words.ts";
import { type Called, calledKey, calledRows, errorKey, errorRows, typeRows } from "./shared-rows.ts";

/** `reported`: the ABI that a node has just given. */
export type Derived = { readonly id: number; readonly derivation: Derivation; readonly reported?: string };

/** The rows of one transaction. They are gathered from a few bytecodes at a time, and loaded into the tables when they are many. */
export type DerivedWriting = {
  readonly add: (batch: readonly Derived[]) => Promise<void>;
  /** Whether enough is gathered to be loaded. */
  readonly isFull: () => boolean;
  /** Loads what is gathered. Nothing may be added meanwhile. */
  readonly load: () => Promise<void>;
};

/** Cells that are gathered before they are loaded, in about two dozen modules: few enough that V8 collects them while they are young. */
const CELLS = 32 * 1024;

const storeNodeAbi = sql`UPDATE _bytecodes SET node_abi = :reported::json WHERE id = :id`;
const markAll = sql`UPDATE _bytecodes SET derived_by = :by::text, abi_id = CAST(${jsonItem("j.value", 1)} AS bigint)
  FROM ${jsonEach(":marks::json", "j")} WHERE _bytecodes.id = CAST(${jsonItem("j.value", 0)} AS bigint)`;
const markFailed = sql`UPDATE _bytecodes SET derived_by = :by::text, error_code = :code::text, error_offset = :offset::int,
  error_message = :message::text WHERE id = :id`;

/** Writes what was derived, and remembers the numbers of rows that others share. */
export function derivedRowWriter() {
  const [modules, words] = [new ModuleNumbers(), new SearchWords()];
  const shared = { types: typeRows(), called: calledRows(), errors: errorRows() };

  const begin = async (tx: Transaction): Promise<DerivedWriting> => {
    // Numbers are counted up from the largest: nobody else may add rows meanwhile.
    await tx.run(lockToWrite("_abis"));
    const next = await readNextIds(tx);
    const gather = () => {
      const known = new KnownContent();
      return {
        known,
        rows: new DerivedBatch(modules, shared, words, known, next),
        added: new Set<number>(),
        marks: new Map<string, [id: number, abi: number][]>(),
      };
    };
    let gathered = gather();

    const add = async (batch: readonly Derived[]): Promise<void> => {
      const { known, rows, added, marks } = gathered;
      const abis = batch.flatMap(({ derivation }) => ("rows" in derivation ? [derivation.rows] : []));
      for (const [id, name] of await modules.intern(tx, modulesOf(abis))) {
        added.add(id);
        words.add(name);
      }
      const types = new Map<string, MoveType>();
      const callees = new Map<string, Called>();
      const calledKeys = new Map<AbiRows, readonly string[]>();
      const errors = new Map<string, ErrorCodeAbi>();
      for (const one of abis) {
        const { abi, callees: called = [] } = one;
        typesOf(abi, types);
        const keys = called.map(({ module, name }) => {
          const callee: Called = [modules.of(module), name];
          const key = calledKey(callee);
          callees.set(key, callee);
          return key;
        });
        calledKeys.set(one, keys);
        for (const error of abi.errors) errors.set(errorKey(error), error);
      }
      // Nothing stored can name a module that is new, and what is gathered is remembered.
      const isNewType = (type: MoveType): boolean => structsInType(type).some(({ module }) => added.has(modules.of(module)));
      for (const type of (await shared.types.find(tx, types, isNewType)).values()) rows.addType(type);
      for (const [key, called] of await shared.called.find(tx, callees, ([module]) => added.has(module))) rows.addCalled(key, called);
      for (const [key, error] of await shared.errors.find(tx, errors, () => false)) rows.addError(key, error);
      const selves = new Set(abis.map(({ abi }) => modules.of({ address: abi.address, name: abi.name })));
      const maps = new Set(abis.flatMap(({ errorsDigest }) => errorsDigest ?? []));
      await known.learn(tx, selves, (module) => added.has(module), maps);
      for (const { id, derivation, reported } of batch) {
        if (reported !== undefined) await tx.run(storeNodeAbi, { id, reported });
        if ("error" in derivation) {
          await tx.run(markFailed, { id, by: derivation.derivedBy, ...derivation.error });
          continue;
        }
        const alike = marks.get(derivation.derivedBy) ?? [];
        marks.set(derivation.derivedBy, alike);
        alike.push([id, rows.add(derivation.rows, calledKeys.get(derivation.rows) ?? [])]);
      }
    };

    const load = async (): Promise<void> => {
      const { rows, marks } = gathered;
      gathered = gather();
      await rows.write(tx);
      await words.write(tx);
      for (const [by, list] of marks) await tx.run(markAll, { by, marks: JSON.stringify(list) });
      for (const memory of Object.values(shared)) memory.trim();
    };
    return { add, load, isFull: () => gathered.rows.size > CELLS };
  };
  return {
    /** Begins to write in a transaction, in which nobody else may add such rows. */
    begin,
    /** Drops what is remembered, with a transaction that failed. */
    forget: (): void => {
      for (const memory of [modules, words, ...Object.values(shared)]) memory.forget();
    },
    /** Makes the search index anew from the rows that there are. */
    rebuildIndex: (tx: Transaction): Promise<void> => words.rebuild(tx),
  };
}

/** Every module that a batch names. */
function modulesOf(abis: readonly AbiRows[]): ReadonlySet<ModuleId> {
  const found = new Set<ModuleId>();
  for (const { abi, callees } of abis) {
    found.add({ address: abi.address, name: abi.name });
    for (const id of abi.friends) found.add(id);
    for (const id of abi.dependencies) found.add(id);
    for (const { module } of callees ?? []) found.add(module);
    if (callees !== undefined) continue;
    // Bytecode has all that its types name among its dependencies; what a node reported need not.
    const types = new Map<string, MoveType>();
    typesOf(abi, types);
    for (const { module } of structsIn(types.values())) found.add(module);
  }
  return found;
}
