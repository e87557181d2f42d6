import type { MoveType } from "../types/types.ts";
import { type CodeBounds, checkCode } from "./check-code.ts";
import type { Cursor } from "./cursor.ts";
import { ACQUIRES_COUNT_MAX, FIELD_COUNT_MAX, VARIANT_COUNT_MAX } from "./cursor.ts";
import type { FunctionHandle, StructHandle } from "./handles.ts";
import { readRows } from "./tables.ts";
import type { TypeReader } from "./type-reader.ts";

export type Field = { readonly name: string; readonly type: MoveType };

export type Variant = { readonly name: string; readonly fields: readonly Field[] };

export type StructDefinition = {
  readonly handle: StructHandle;
  readonly kind: "native" | "struct" | "enum";
  readonly fields: readonly Field[];
  readonly variants: readonly Variant[];
};

export type FunctionDefinition = {
  readonly handle: FunctionHandle;
  readonly visibility: "private" | "public" | "friend";
  readonly isEntry: boolean;
  readonly isNative: boolean;
  readonly acquires: readonly StructDefinition[];
  /** The functions that it calls, or makes function values of, each once in the order in which it first does. */
  readonly callees: readonly FunctionHandle[];
};

const NONE: readonly never[] = [];

/** The struct definitions of a module. Source: `load_struct_def` in deserializer.rs, `check_struct_def` in check_bounds.rs. */
export function readStructDefinitions(
  cursor: Cursor,
  version: number,
  handles: readonly StructHandle[],
  identifiers: readonly string[],
  types: TypeReader,
): StructDefinition[] {
  const fields = (handle: StructHandle): Field[] => {
    const count = cursor.uleb(FIELD_COUNT_MAX);
    const list: Field[] = [];
    for (let i = 0; i < count; i++) {
      const name = cursor.pick(identifiers, "identifiers");
      const at = cursor.at;
      types.parametersUsed = 0;
      const type = types.read(cursor);
      if (types.parametersUsed > handle.typeParams.length) {
        cursor.fail(`a type parameter that ${handle.plain.text} does not have`, at);
      }
      list.push({ name, type });
    }
    return list;
  };
  const variants = (handle: StructHandle): Variant[] => {
    const at = cursor.at;
    const count = cursor.uleb(VARIANT_COUNT_MAX);
    if (count === 0) cursor.fail(`enum ${handle.plain.text} has no variants`, at);
    const list: Variant[] = [];
    for (let i = 0; i < count; i++) {
      const name = cursor.pick(identifiers, "identifiers");
      list.push({ name, fields: fields(handle) });
    }
    return list;
  };

  return readRows(cursor, () => {
    const handle = cursor.pick(handles, "struct handles");
    const at = cursor.at;
    const flag = cursor.u8();
    if (flag === 1) return { handle, kind: "native", fields: NONE, variants: NONE };
    if (flag === 2) return { handle, kind: "struct", fields: fields(handle), variants: NONE };
    if (flag === 3 && version >= 7) return { handle, kind: "enum", fields: NONE, variants: variants(handle) };
    return cursor.fail(`struct flag ${flag} does not exist in bytecode version ${version}`, at);
  });
}

/** The function definitions of a module. Their code is checked and skipped. Source: `load_function_def` in deserializer.rs. */
export function readFunctionDefinitions(
  cursor: Cursor,
  version: number,
  handles: readonly FunctionHandle[],
  structs: readonly StructDefinition[],
  bounds: CodeBounds,
): FunctionDefinition[] {
  return readRows(cursor, () => {
    const handle = cursor.pick(handles, "function handles");
    const { visibility, isEntry, isNative } = readFlags(cursor, version);
    const acquires = readAcquires(cursor, structs);
    const callees = isNative ? NONE : checkCode(cursor, version, handle, bounds);
    return { handle, visibility, isEntry, isNative, acquires, callees };
  });
}

function readAcquires(cursor: Cursor, structs: readonly StructDefinition[]): readonly StructDefinition[] {
  const count = cursor.uleb(ACQUIRES_COUNT_MAX);
  if (count === 0) return NONE;
  const list: StructDefinition[] = [];
  for (let i = 0; i < count; i++) list.push(cursor.pick(structs, "struct definitions"));
  return list;
}

type Flags = { readonly visibility: FunctionDefinition["visibility"]; readonly isEntry: boolean; readonly isNative: boolean };

const VISIBILITIES: readonly (FunctionDefinition["visibility"] | undefined)[] = ["private", "public", undefined, "friend"];
const NATIVE = 2;
const ENTRY = 4;

function readFlags(cursor: Cursor, version: number): Flags {
  const at = cursor.at;
  const first = cursor.u8();
  if (version === 1) {
    if (first > 3) cursor.fail(`function flags ${first} do not exist in bytecode version 1`, at);
    return { visibility: first & 1 ? "public" : "private", isEntry: false, isNative: (first & NATIVE) !== 0 };
  }
  // Versions 2 to 4 have a visibility `script`, which became public and entry in version 5.
  const isScript = version < 5 && first === 2;
  const visibility = isScript ? "public" : VISIBILITIES[first];
  if (visibility === undefined) cursor.fail(`visibility ${first} does not exist in bytecode version ${version}`, at);
  const flags = cursor.u8();
  const known = version < 5 ? NATIVE : NATIVE | ENTRY;
  if (flags & ~known) cursor.fail(`function flags ${flags} do not exist in bytecode version ${version}`, at + 1);
  return { visibility, isEntry: isScript || (flags & ENTRY) !== 0, isNative: (flags & NATIVE) !== 0 };
}
