import type { ErrorCodeAbi } from "../../abi/model.ts";
import type { Transaction } from "../../engine/engine.ts";
import type { ModuleId, MoveType } from "../../move/types/types.ts";
import { each, item, lockToWrite } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type AbiRows, typesOf } from "./abi-rows.ts";
import type { Derivation } from "./derivation.ts";
import { DerivedBatch, readNextIds } from "./derived-batch.ts";
import { KnownContent } from "./known-content.ts";
import { structsIn, structsInType } from "./mentioned-structs.ts";
import { byModuleKey, ModuleNumbers } from "./module-ids.ts";
import { SearchWords } from "./search-words.ts";
import { type Called, calledKey, calledRows, errorKey, errorRows, typeRows } from "./shared-rows.ts";

/** `reported`: the ABI that a node has just given. */
export type Derived = { readonly id: number; readonly derivation: Derivation; readonly reported?: string };

const storeNodeAbi = sql`UPDATE _bytecodes SET node_abi = :reported::json WHERE id = :id`;
const markAll = sql`UPDATE _bytecodes SET derived_by = :by::text, abi_id = CAST(${item("j.value", 1)} AS bigint)
  FROM ${each(":marks::json", "j")} WHERE _bytecodes.id = CAST(${item("j.value", 0)} AS bigint)`;
const markFailed = sql`UPDATE _bytecodes SET derived_by = :by::text, error_code = :code::text, error_offset = :offset::int,
  error_message = :message::text WHERE id = :id`;

/** Writes what was derived, and remembers the numbers of rows that others share. */
export function prepareDerivedWriter() {
  const [modules, words] = [new ModuleNumbers(), new SearchWords()];
  const shared = { types: typeRows(), called: calledRows(), errors: errorRows() };

  const write = async (tx: Transaction, batch: readonly Derived[]): Promise<void> => {
    if (batch.length === 0) return;
    // Numbers are counted up from the largest: nobody else may add rows meanwhile.
    await tx.run(lockToWrite("_abis"));
    const abis = batch.flatMap(({ derivation }) => ("rows" in derivation ? [derivation.rows] : []));
    const added = await modules.intern(tx, byModuleKey(modulesOf(abis)));
    const types = new Map<string, MoveType>();
    const callees = new Map<string, Called>();
    const calledKeys = new Map<AbiRows, readonly string[]>();
    const errors = new Map<string, ErrorCodeAbi>();
    for (const rows of abis) {
      const { abi, callees: called = [] } = rows;
      typesOf(abi, types);
      const keys = called.map(({ module, name }) => {
        const one: Called = [modules.of(module), name];
        const key = calledKey(one);
        callees.set(key, one);
        return key;
      });
      calledKeys.set(rows, keys);
      for (const error of abi.errors) errors.set(errorKey(error), error);
    }
    // Nothing stored can name a module that is new.
    const isNewType = (type: MoveType): boolean => structsInType(type).some(({ module }) => added.has(modules.of(module)));
    const newTypes = await shared.types.find(tx, types, isNewType);
    const newCalled = await shared.called.find(tx, callees, ([module]) => added.has(module));
    const newErrors = await shared.errors.find(tx, errors, () => false);
    const selves = new Set(abis.map(({ abi }) => modules.of({ address: abi.address, name: abi.name })));
    const known = await KnownContent.read(
      tx,
      [...selves].filter((id) => !added.has(id)),
      abis.flatMap(({ errorsDigest }) => errorsDigest ?? []),
    );
    const rows = new DerivedBatch(modules, shared, known, await readNextIds(tx));
    for (const type of newTypes.values()) rows.addType(type);
    for (const [key, called] of newCalled) rows.addCalled(key, called);
    for (const [key, error] of newErrors) rows.addError(key, error);
    const marks = new Map<string, [id: number, abi: number][]>();
    for (const { id, derivation } of batch) {
      if ("error" in derivation) continue;
      const alike = marks.get(derivation.derivedBy) ?? [];
      marks.set(derivation.derivedBy, alike);
      alike.push([id, rows.add(derivation.rows, calledKeys.get(derivation.rows) ?? [])]);
    }
    await rows.write(tx);
    await words.add(tx, added, rows.named);
    for (const [by, list] of marks) await tx.run(markAll, { by, marks: JSON.stringify(list) });
    for (const { id, reported, derivation } of batch) {
      if (reported !== undefined) await tx.run(storeNodeAbi, { id, reported });
      if ("error" in derivation) await tx.run(markFailed, { id, by: derivation.derivedBy, ...derivation.error });
    }
  };
  return {
    write,
    /** Drops what is remembered, with a transaction that failed. */
    forget: (): void => {
      for (const memory of [modules, words, ...Object.values(shared)]) memory.forget();
    },
    /** Empties the search index, which has no table of its own among the derived ones. */
    clear: (tx: Transaction): Promise<void> => words.clear(tx),
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
