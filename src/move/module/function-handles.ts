import type { ModuleId } from "../types/types.ts";
import { skipAccessSpecifiers } from "./access-specifiers.ts";
import type { Cursor } from "./cursor.ts";
import { FUNCTION_ATTRIBUTE_COUNT_MAX, TYPE_PARAMETER_COUNT_MAX } from "./limits.ts";
import { readRows } from "./rows.ts";
import { type HandlePools, NO_TYPE_PARAMETERS, readAbilities, type TypeParameter } from "./struct-handles.ts";
import { pick } from "./table-index.ts";
import type { Signature } from "./type-reader.ts";

/** A function attribute in the bytecode, from version 8 on: its name, and the index of a field or variant if it has one. */
export type FunctionMark = { readonly name: string; readonly operand?: number };

/** A row of the function handles: a function of this module or another. */
export type FunctionHandle = {
  readonly module: ModuleId;
  readonly name: string;
  readonly params: Signature;
  readonly returns: Signature;
  readonly typeParams: readonly TypeParameter[];
  readonly marks: readonly FunctionMark[];
};

/** The function handles of a module. */
export function readFunctionHandles(cursor: Cursor, pools: HandlePools, signatures: readonly Signature[]): FunctionHandle[] {
  return readRows(cursor, readFunctionHandle, { ...pools, signatures });
}

type FunctionPools = HandlePools & { readonly signatures: readonly Signature[] };

function readFunctionHandle(cursor: Cursor, { version, modules, identifiers, signatures }: FunctionPools): FunctionHandle {
  const at = cursor.at;
  const module = pick(cursor, modules, "module handles");
  const name = pick(cursor, identifiers, "identifiers");
  const params = pick(cursor, signatures, "signatures");
  const returns = pick(cursor, signatures, "signatures");
  const typeParams = readFunctionTypeParameters(cursor, version);
  if (Math.max(params.parametersUsed, returns.parametersUsed) > typeParams.length) {
    cursor.fail(`${name} has ${typeParams.length} type parameters and its types use more`, at);
  }
  if (version >= 7) skipAccessSpecifiers(cursor);
  const marks = version >= 8 ? readMarks(cursor, version) : NO_MARKS;
  return { module, name, params, returns, typeParams, marks };
}

const NO_MARKS: readonly FunctionMark[] = [];

/**
 * Function attributes by their byte: the version that introduced each, and whether a two-byte index follows.
 * Source: `load_function_attributes` in deserializer.rs, which refuses them in older versions.
 */
const MARKS: readonly (readonly [name: string, since: number, operand: boolean] | undefined)[] = [
  undefined,
  ["persistent", 8, false],
  ["module_lock", 8, false],
  ["pack", 10, false],
  ["pack_variant", 10, true],
  ["unpack", 10, false],
  ["unpack_variant", 10, true],
  ["test_variant", 10, true],
  ["borrow", 10, true],
  ["borrow_mut", 10, true],
];

function readMarks(cursor: Cursor, version: number): readonly FunctionMark[] {
  const count = cursor.uleb(FUNCTION_ATTRIBUTE_COUNT_MAX);
  if (count === 0) return NO_MARKS;
  const marks: FunctionMark[] = [];
  for (let i = 0; i < count; i++) {
    const at = cursor.at;
    const kind = cursor.u8();
    const [name, since, operand] = MARKS[kind] ?? cursor.fail(`function attribute ${kind} does not exist`, at);
    if (since > version) cursor.fail(`function attribute ${name} does not exist in bytecode version ${version}`, at);
    marks.push(operand ? { name, operand: cursor.u16() } : { name });
  }
  return marks;
}

function readFunctionTypeParameters(cursor: Cursor, version: number): readonly TypeParameter[] {
  const count = cursor.uleb(TYPE_PARAMETER_COUNT_MAX);
  if (count === 0) return NO_TYPE_PARAMETERS;
  const params: TypeParameter[] = [];
  for (let i = 0; i < count; i++) params.push({ constraints: readAbilities(cursor, version, "functionParameter"), isPhantom: false });
  return params;
}
