import type { AttributeAbi, FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi } from "../../abi/model.ts";
import { formatNodeAbi } from "../../abi/node-json/format.ts";
import { formatSignature } from "../../abi/print/signature.ts";
import { formatHex } from "../../base/hex.ts";
import { sha256 } from "../../base/sha256.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { canonicalAbi, canonicalFunction, canonicalStruct } from "../content/abi-digest.ts";

/** A value of a row as text, the same text whether it was read from the database or made from an ABI. */
export type Cell = string;

/** Rows by table, each table's rows in the order of their positions. */
export type RowsByTable = ReadonlyMap<string, readonly (readonly Cell[])[]>;

/** The rows of an item that many ABIs may share; `digest` names them. */
export type ExpectedItem = { readonly name: string; readonly digest: string; readonly rows: RowsByTable };

/** All rows that an ABI ought to have. */
export type ExpectedAbi = {
  /** The row of `abis` and the lists that hang on it, other than functions and structs. */
  readonly rows: RowsByTable;
  readonly functions: readonly ExpectedItem[];
  readonly structs: readonly ExpectedItem[];
};

/** The rows of an ABI as `abi-rows.ts` writes them, in words instead of row numbers. */
export function expectedAbi(abi: ModuleAbi, decoder: string): ExpectedAbi {
  const functionDigests = abi.functions.map((item) => sha256(canonicalFunction(item)));
  const structDigests = abi.structs.map((item) => sha256(canonicalStruct(item)));
  const digest = formatHex(sha256(canonicalAbi(abi, functionDigests, structDigests)));
  const nodeDigest = formatHex(sha256(JSON.stringify(formatNodeAbi(abi))));
  return {
    rows: new Map([
      ["abis", [[digest, decoder, abi.address, abi.name, nodeDigest]]],
      ["abi_friends", abi.friends.map(moduleRow)],
      ["abi_dependencies", abi.dependencies.map(moduleRow)],
      ["abi_error_codes", abi.errors.map(({ code, name, description }, i) => [`${i}`, `${code}`, name, description])],
    ]),
    functions: abi.functions.map((item, i) => expectedFunction(item, formatHex(functionDigests[i] as Uint8Array))),
    structs: abi.structs.map((item, i) => expectedStruct(item, formatHex(structDigests[i] as Uint8Array))),
  };
}

function expectedFunction(item: FunctionAbi, digest: string): ExpectedItem {
  const { name, visibility, isEntry, isView, isNative, acquires } = item;
  const own = [digest, name, visibility, flag(isEntry), flag(isView), flag(isNative), formatSignature(item), JSON.stringify(acquires)];
  const rows = new Map([
    ["functions", [own]],
    ["function_params", item.params.map((type, i) => [`${i}`, type.text])],
    ["function_returns", item.returns.map((type, i) => [`${i}`, type.text])],
    ["function_type_params", item.typeParams.map(typeParamRow)],
    ["function_attributes", item.attributes.map(attributeRow)],
  ]);
  return { name, digest, rows };
}

function expectedStruct(item: StructAbi, digest: string): ExpectedItem {
  const { name, isNative, isEvent, isEnum } = item;
  const own = [digest, name, flag(isNative), flag(isEvent), flag(isEnum), ...abilityCells(item.abilities)];
  const rows = new Map([
    ["structs", [own]],
    ["struct_type_params", item.typeParams.map(typeParamRow)],
    ["struct_attributes", item.attributes.map(attributeRow)],
    ["variants", item.variants.map((variant, i) => [`${i}`, variant.name])],
    ["fields", [fieldRows(-1, item.fields), ...item.variants.map((variant, i) => fieldRows(i, variant.fields))].flat()],
  ]);
  return { name, digest, rows };
}

function fieldRows(variant: number, fields: readonly FieldAbi[]): Cell[][] {
  return fields.map(({ name, type }, i) => [`${variant}`, `${i}`, name, type.text]);
}

function moduleRow({ address, name }: ModuleId, position: number): Cell[] {
  return [`${position}`, address, name];
}

function typeParamRow({ isPhantom, constraints }: TypeParameterAbi, position: number): Cell[] {
  return [`${position}`, flag(isPhantom), ...abilityCells(constraints)];
}

function attributeRow({ kind, args }: AttributeAbi, position: number): Cell[] {
  return [`${position}`, `${kind}`, JSON.stringify(args)];
}

function abilityCells(abilities: readonly string[]): Cell[] {
  return ["copy", "drop", "store", "key"].map((name) => flag(abilities.includes(name)));
}

function flag(value: boolean): Cell {
  return value ? "1" : "0";
}
