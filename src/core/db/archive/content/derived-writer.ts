import { setImmediate } from "node:timers/promises";
import type { AttributeAbi, FieldAbi, StructAbi } from "../../../abi/model.ts";
import { chunks } from "../../../base/lists.ts";
import type { Transaction } from "../../engine/engine.ts";
import { contentTurn, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import type { AbiRows, FunctionRow } from "./abi-rows.ts";
import type { Derivation } from "./derivation.ts";
import { type AbiIds, KnownAbis, type KnownItems } from "./known-abis.ts";
import { addAbilities, addList, NewRows } from "./new-rows.ts";
import { SearchWords, structTexts } from "./search-words.ts";
import { sharedRows } from "./shared-rows.ts";

export type Stored = { readonly id: number; readonly derive: () => Derivation };

/** The end of a derivation: the number of its ABI, or why there is none. */
export type Written = { readonly derivedBy: string; readonly abi: number } | Failed;
export type Failed = Extract<Derivation, { error: unknown }>;

/** How many cells are gathered before they are loaded, those of about two dozen modules: V8 then collects them while they are young. */
const CELLS = 32 * 1024;

/** How many bytecodes are decoded before their rows are gathered. V8 collects cheaply what is dropped while it is young. */
const DECODED = 8;

/** A decoded bytecode; `again` decodes it once more. */
type Decoded = { readonly derivation: Derivation; readonly again: () => Derivation };

const markAll = sql`UPDATE _bytecodes SET derived_by = :by::text, abi_id = CAST(${jsonItem("j.value", 1)} AS bigint)
  FROM ${jsonEach(":marks::json", "j")} WHERE _bytecodes.id = CAST(${jsonItem("j.value", 0)} AS bigint)`;

/** Writes the rows that follow from bytecode, and remembers the numbers of those that modules share. */
export function derivedRowWriter() {
  const [rows, words] = [new NewRows(), new SearchWords()];
  const shared = sharedRows(rows, words);
  const forget = (): void => {
    for (const memory of [rows, words, shared]) memory.forget();
  };

  /** Gathers the rows of bytecodes. What they share is looked up for all of them together. */
  const gather = async (tx: Transaction, known: KnownAbis, decoded: readonly Decoded[]): Promise<Written[]> => {
    const abis = decoded.flatMap(({ derivation }) => ("rows" in derivation ? [derivation.rows] : []));
    const calls = await shared.settle(tx, abis);
    const modules = abis.map(({ abi }) => shared.moduleOf(abi));
    await known.read(
      tx,
      modules.filter((module) => !shared.isAdded(module)),
    );
    return decoded.map(({ derivation, again }) => {
      if ("error" in derivation) return derivation;
      const { rows: one, derivedBy } = derivation;
      const module = shared.moduleOf(one.abi);
      const alike = known.find(module, one);
      if (alike.id !== undefined) return { derivedBy, abi: alike.id };
      const ids = addAbi({ rows, words, shared }, module, one, calls.get(one) ?? [], alike);
      known.add(module, ids, again);
      return { derivedBy, abi: ids.id };
    });
  };

  const load = async (tx: Transaction): Promise<void> => {
    await rows.load(tx);
    await words.write(tx);
    shared.trim();
  };

  /** Writes the rows of what is derived, a few bytecodes at a time. @returns what came of each, in their order */
  const write = async (tx: Transaction, derive: readonly (() => Derivation)[]): Promise<readonly Written[]> => {
    tx.onRollback(forget);
    await tx.all(contentTurn);
    if (await rows.begin(tx)) for (const memory of [words, shared]) memory.forget();
    const known = new KnownAbis();
    const written: Written[] = [];
    const parts = chunks(derive, DECODED);
    const ahead: (readonly Decoded[])[] = [];
    const decode = (): boolean => {
      const { value: part, done } = parts.next();
      if (done !== true) ahead.push(part.map((again) => ({ derivation: again(), again })));
      return done !== true;
    };
    while (ahead.length > 0 || decode()) {
      written.push(...(await gather(tx, known, ahead.shift() ?? [])));
      if (rows.size <= CELLS) continue;
      // A server takes in rows while the next bytecodes are decoded. A file has taken them in by the next turn.
      let isLoaded = false;
      const loading = load(tx).finally(() => (isLoaded = true));
      await Promise.race([loading, setImmediate()]);
      while (!isLoaded && decode()) await setImmediate();
      await loading;
    }
    await load(tx);
    return written;
  };

  return {
    write,
    /** Writes the rows of stored bytecodes that can be decoded, with their numbers. @returns why the others cannot, by number */
    writeStored: async (tx: Transaction, stored: readonly Stored[]): Promise<ReadonlyMap<number, Failed>> => {
      const derive = stored.map(({ derive }) => derive);
      const all = (await write(tx, derive)).map((one, i) => ({ one, id: (stored[i] as Stored).id }));
      const marks = all.flatMap(({ one, id }) => ("abi" in one ? [{ by: one.derivedBy, mark: [id, one.abi] }] : []));
      for (const [by, list] of Map.groupBy(marks, ({ by }) => by))
        await tx.run(markAll, { by, marks: JSON.stringify(list.map(({ mark }) => mark)) });
      return new Map(all.flatMap(({ one, id }) => ("error" in one ? [[id, one] as const] : [])));
    },
    rebuildIndex: (tx: Transaction): Promise<void> => words.rebuild(tx),
  };
}

/** Where the rows of ABIs go, with the numbers of the rows that they share. */
type Gathered = { readonly rows: NewRows; readonly words: SearchWords; readonly shared: ReturnType<typeof sharedRows> };

/**
 * Adds an ABI of a module whose shared rows all have numbers; `callees` are the keys of what it calls. Functions and structs that the
 * module has already (`known`) are not written again.
 */
function addAbi(into: Gathered, module: number, abiRows: AbiRows, callees: readonly string[], known: KnownItems): AbiIds {
  const { rows, shared } = into;
  const { abi, functions, structs, errorsDigest } = abiRows;
  const id = rows.next("abis");
  const called = callees.map(shared.calledOf);
  const ids = {
    id,
    face: known.face,
    functions: functions.map((fn, i) => known.functions[i] ?? addFunction(into, module, fn, called)),
    structs: structs.map((struct, i) => known.structs[i] ?? addStruct(into, module, struct)),
  };
  ids.functions.forEach((item, position) => void rows.cells.abi_functions.push(id, item, position));
  ids.structs.forEach((item, position) => void rows.cells.abi_structs.push(id, item, position));
  rows.cells.abis.push(id, module, errorsDigest && shared.errorMapOf(errorsDigest), abiRows.callees !== undefined, known.face);
  addList(rows.cells.abi_friends, id, abi.friends.map(shared.moduleOf));
  for (const other of new Set(abi.dependencies.map(shared.moduleOf))) rows.cells.abi_dependencies.push(id, other);
  return ids;
}

function addFunction({ rows, words, shared }: Gathered, module: number, { abi, signature, calls }: FunctionRow, called: readonly number[]) {
  const id = rows.next("functions");
  const { cells } = rows;
  words.add(abi.name);
  const { name, visibility, isEntry, isView, isNative } = abi;
  cells.functions.push(id, module, name, visibility, isEntry, isView, isNative, shared.signatureOf(signature));
  addList(cells.function_params, id, abi.params.map(shared.typeOf));
  abi.returns.forEach((type, position) => void cells.function_returns.push(position, id, shared.typeOf(type)));
  addList(cells.function_acquires, id, abi.acquires);
  addAttributes(cells.function_attributes, cells.function_attribute_args, id, abi.attributes);
  for (const other of new Set(calls.map((place) => called[place]))) cells.function_calls.push(id, other);
  return id;
}

function addStruct({ rows, words, shared }: Gathered, module: number, abi: StructAbi): number {
  const id = rows.next("structs");
  const { cells } = rows;
  words.add(abi.name, structTexts(abi));
  cells.structs.push(id, module, abi.name, abi.isNative, abi.isEvent, abi.isEnum);
  addAbilities(cells.structs, abi.abilities);
  abi.typeParams.forEach(({ isPhantom, constraints }, position) => {
    cells.struct_type_params.push(id, position, isPhantom);
    addAbilities(cells.struct_type_params, constraints);
  });
  let place = 0;
  const addFields = (fields: readonly FieldAbi[], variant: number | null): void => {
    fields.forEach(({ name, type }, position) => void cells.struct_fields.push(id, place++, variant, position, name, shared.typeOf(type)));
  };
  addFields(abi.fields, null);
  abi.variants.forEach(({ name, fields }, variant) => {
    cells.struct_variants.push(id, variant, name);
    addFields(fields, variant);
  });
  addAttributes(cells.struct_attributes, cells.struct_attribute_args, id, abi.attributes);
  return id;
}

function addAttributes(cells: unknown[], argCells: unknown[], id: number, attributes: readonly AttributeAbi[]): void {
  attributes.forEach(({ kind, args }, attribute) => {
    cells.push(id, attribute, kind);
    args.forEach((text, position) => void argCells.push(id, attribute, position, text));
  });
}
