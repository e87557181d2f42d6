import type { AttributeAbi, FieldAbi, StructAbi } from "../../../abi/model.ts";
import type { AbiRows, FunctionRow } from "./abi-rows.ts";
import type { AbiIds, KnownItems } from "./known-abis.ts";
import { addAbilities, addList, type NewRows } from "./new-rows.ts";
import { type SearchWords, structTexts } from "./search-words.ts";
import type { sharedRows } from "./shared-rows.ts";

/** Where the rows of ABIs go, with the numbers of the rows that they share. */
export type Gathered = { readonly rows: NewRows; readonly words: SearchWords; readonly shared: ReturnType<typeof sharedRows> };

/**
 * Adds an ABI of a module whose shared rows all have numbers; `callees` are the keys of what it calls. Functions and structs that the
 * module has already (`known`) are not written again.
 */
export function addAbi(into: Gathered, module: number, abiRows: AbiRows, callees: readonly string[], known: KnownItems): AbiIds {
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
