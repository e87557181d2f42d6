import type { Cursor } from "../module/cursor.ts";
import { CONSTANT_SIZE_MAX, TABLE_INDEX_MAX } from "../module/cursor.ts";
import type { Field, StructDefinition, Variant } from "../module/definitions.ts";
import type { FunctionHandle } from "../module/handles.ts";
import type { CompiledModule } from "../module/module.ts";
import { OPERAND_KINDS, operand } from "../module/opcodes.ts";
import { type Layout, openTable, readRows, table } from "../module/tables.ts";
import { TypeReader } from "../module/type-reader.ts";
import type { MoveType } from "../types/types.ts";

/**
 * What an instruction refers to in the tables of its module: a constant, a function, or a struct and perhaps a part of it.
 * `typeArguments` is empty where the item is not generic. Instructions that name the same row share one object.
 */
export type Reference =
  | { readonly kind: "constant"; readonly type: MoveType; readonly bytes: Uint8Array }
  | { readonly kind: "function"; readonly handle: FunctionHandle; readonly typeArguments: readonly MoveType[] }
  | { readonly kind: "struct"; readonly struct: StructDefinition; readonly typeArguments: readonly MoveType[] }
  | {
      readonly kind: "field";
      readonly struct: StructDefinition;
      /** The variants that have the field, at the same place in each; empty for a struct's field. */
      readonly variants: readonly Variant[];
      readonly field: Field;
      readonly index: number;
      readonly typeArguments: readonly MoveType[];
    }
  | {
      readonly kind: "variant";
      readonly struct: StructDefinition;
      readonly variant: Variant;
      readonly typeArguments: readonly MoveType[];
    }
  /** The element type of a vector, or the type of a closure. */
  | { readonly kind: "types"; readonly types: readonly MoveType[] };

/** By `operand` and index of the row. */
export type References = readonly (readonly Reference[])[];

const NONE: readonly never[] = [];

/** Reads the tables that instructions refer to. The module has been checked by `parseModule`, so every index is in bounds. */
export function readReferences(bytes: Uint8Array, layout: Layout, module: CompiledModule): References {
  const { structs, functionHandles, signatures } = module;
  const open = (kind: number): Cursor => openTable(bytes, layout, kind);
  const index = (cursor: Cursor): number => cursor.uleb(TABLE_INDEX_MAX);
  const found: (readonly Reference[])[] = new Array(OPERAND_KINDS).fill(NONE);

  const types = new TypeReader(module.structHandles, module.version);
  found[operand.constant] = readRows(open(table.constants), (cursor) => {
    const type = types.read(cursor);
    const length = cursor.uleb(CONSTANT_SIZE_MAX);
    const at = cursor.skip(length);
    return { kind: "constant", type, bytes: bytes.subarray(at, at + length) };
  });
  found[operand.signature] = signatures.map((signature) => ({ kind: "types", types: signature.types }));

  /** Keeps the rows of a table and of that of its instantiations, whose operand is the next one. */
  const addItems = (kind: number, items: readonly Reference[], instantiations: number): void => {
    found[kind] = items;
    found[kind + 1] = readRows(open(instantiations), (cursor) => {
      const item = items[index(cursor)] as Reference;
      return { ...item, typeArguments: signatures[index(cursor)]?.types ?? NONE };
    });
  };
  const functions = functionHandles.map((handle): Reference => ({ kind: "function", handle, typeArguments: NONE }));
  addItems(operand.functionHandle, functions, table.functionInstantiations);
  const plainStructs = structs.map((struct): Reference => ({ kind: "struct", struct, typeArguments: NONE }));
  addItems(operand.structDefinition, plainStructs, table.structInstantiations);
  const fields = readRows(open(table.fieldHandles), (cursor): Reference => {
    const struct = cursor.pick(structs, "struct definitions");
    const at = index(cursor);
    return { kind: "field", struct, variants: NONE, field: struct.fields[at] as Field, index: at, typeArguments: NONE };
  });
  addItems(operand.fieldHandle, fields, table.fieldInstantiations);
  const variantFields = readRows(open(table.variantFieldHandles), (cursor): Reference => {
    const struct = cursor.pick(structs, "struct definitions");
    const at = index(cursor);
    const variants = Array.from({ length: index(cursor) }, () => struct.variants[index(cursor)] as Variant);
    return { kind: "field", struct, variants, field: variants[0]?.fields[at] as Field, index: at, typeArguments: NONE };
  });
  addItems(operand.variantFieldHandle, variantFields, table.variantFieldInstantiations);
  const variants = readRows(open(table.structVariantHandles), (cursor): Reference => {
    const struct = cursor.pick(structs, "struct definitions");
    return { kind: "variant", struct, variant: struct.variants[index(cursor)] as Variant, typeArguments: NONE };
  });
  addItems(operand.structVariantHandle, variants, table.structVariantInstantiations);
  return found;
}
