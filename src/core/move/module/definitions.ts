import type { MoveType } from "../types/make-type.ts";
import { type Cursor, FIELD_COUNT_MAX, VARIANT_COUNT_MAX } from "./cursor.ts";
import type { StructHandle } from "./handles.ts";
import type { TypeReader } from "./type-reader.ts";

export type Field = { readonly name: string; readonly type: MoveType };

export type Variant = { readonly name: string; readonly fields: readonly Field[] };

export type StructDefinition = {
  readonly handle: StructHandle;
  readonly kind: "native" | "struct" | "enum";
  readonly fields: readonly Field[];
  readonly variants: readonly Variant[];
};

const NONE: readonly never[] = [];

/** The tables that struct definitions name. */
type StructPools = {
  readonly version: number;
  readonly structHandles: readonly StructHandle[];
  readonly identifiers: readonly string[];
  readonly types: TypeReader;
};

/** Source: `load_struct_def` in deserializer.rs, `check_struct_def` in check_bounds.rs. */
export function readStructDefinition(cursor: Cursor, pools: StructPools): StructDefinition {
  const handle = cursor.pick(pools.structHandles, "struct handles");
  const at = cursor.at;
  const flag = cursor.u8();
  if (flag === 1) return { handle, kind: "native", fields: NONE, variants: NONE };
  if (flag === 2) return { handle, kind: "struct", fields: readFields(cursor, handle, pools), variants: NONE };
  if (flag === 3 && pools.version >= 7) return { handle, kind: "enum", fields: NONE, variants: readVariants(cursor, handle, pools) };
  return cursor.fail(`struct flag ${flag} does not exist in bytecode version ${pools.version}`, at);
}

function readFields(cursor: Cursor, handle: StructHandle, { identifiers, types }: StructPools): Field[] {
  const count = cursor.uleb(FIELD_COUNT_MAX);
  const list: Field[] = [];
  for (let i = 0; i < count; i++) {
    const name = cursor.pick(identifiers, "identifiers");
    const at = cursor.at;
    types.parametersUsed = 0;
    const type = types.read(cursor);
    if (types.parametersUsed > handle.typeParams.length) cursor.fail(`a type parameter that ${handle.plain.text} does not have`, at);
    list.push({ name, type });
  }
  return list;
}

function readVariants(cursor: Cursor, handle: StructHandle, pools: StructPools): Variant[] {
  const at = cursor.at;
  const count = cursor.uleb(VARIANT_COUNT_MAX);
  if (count === 0) cursor.fail(`enum ${handle.plain.text} has no variants`, at);
  const list: Variant[] = [];
  for (let i = 0; i < count; i++) {
    const name = cursor.pick(pools.identifiers, "identifiers");
    list.push({ name, fields: readFields(cursor, handle, pools) });
  }
  return list;
}
