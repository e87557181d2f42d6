import type { MoveType } from "../types/make-type.ts";
import { CONSTANT_SIZE_MAX, type Cursor, FIELD_OFFSET_MAX, VARIANT_COUNT_MAX, VARIANT_OFFSET_MAX } from "./cursor.ts";
import type { Field, StructDefinition, Variant } from "./definitions.ts";
import type { FunctionHandle, Signature } from "./handles.ts";
import { OPERAND_KINDS, operand } from "./opcodes.ts";
import { readRows, table } from "./tables.ts";
import type { TypeReader } from "./type-reader.ts";

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

/** What operands of instructions can name. */
export type References = {
  /** By `operand` and index of the row. */
  readonly rows: readonly (readonly Reference[])[];
  /** By `operand`, for each row: how many type parameters the enclosing function must have; undefined if none in any row. */
  readonly parametersUsed: readonly (readonly number[] | undefined)[];
};

type Tables = {
  readonly structs: readonly StructDefinition[];
  readonly functionHandles: readonly FunctionHandle[];
  readonly signatures: readonly Signature[];
  readonly types: TypeReader;
};

const NONE: readonly never[] = [];

/** Reads the tables that only instructions refer to, as strictly as the node. Constants are views of the bytes. Source: check_bounds.rs. */
export function readReferences(open: (kind: number) => Cursor, { structs, functionHandles, signatures, types }: Tables): References {
  const rows: (readonly Reference[])[] = new Array(OPERAND_KINDS).fill(NONE);
  const parametersUsed: (readonly number[] | undefined)[] = new Array(OPERAND_KINDS).fill(undefined);
  /** Keeps the rows of a table and of that of its instantiations, whose operand is the next one. */
  const addItems = (kind: number, items: readonly Reference[], instantiations: number, name: string): void => {
    const used: number[] = [];
    rows[kind] = items;
    rows[kind + 1] = readRows(open(instantiations), { items, name, signatures, used }, readInstantiation);
    parametersUsed[kind + 1] = used;
  };
  rows[operand.constant] = readRows(open(table.constants), types, readConstant);
  const functions = functionHandles.map((handle): Reference => ({ kind: "function", handle, typeArguments: NONE }));
  addItems(operand.functionHandle, functions, table.functionInstantiations, "function handles");
  const whole = structs.map((struct): Reference => ({ kind: "struct", struct, typeArguments: NONE }));
  addItems(operand.structDefinition, whole, table.structInstantiations, "struct definitions");
  addItems(operand.fieldHandle, readRows(open(table.fieldHandles), structs, readField), table.fieldInstantiations, "field handles");
  const variantFields = readRows(open(table.variantFieldHandles), structs, readVariantField);
  addItems(operand.variantFieldHandle, variantFields, table.variantFieldInstantiations, "variant field handles");
  const variants = readRows(open(table.structVariantHandles), structs, readStructVariant);
  addItems(operand.structVariantHandle, variants, table.structVariantInstantiations, "struct variant handles");
  rows[operand.signature] = signatures.map(({ types }) => ({ kind: "types", types }));
  parametersUsed[operand.signature] = signatures.map((signature) => signature.parametersUsed);
  return { rows, parametersUsed };
}

type Instantiated = {
  readonly items: readonly Reference[];
  readonly name: string;
  readonly signatures: readonly Signature[];
  /** Takes for each row how many type parameters its arguments presuppose. */
  readonly used: number[];
};

function readInstantiation(cursor: Cursor, { items, name, signatures, used }: Instantiated) {
  const item = cursor.pick(items, name);
  const signature = cursor.pick(signatures, "signatures");
  used.push(signature.parametersUsed);
  return { ...item, typeArguments: signature.types };
}

function readConstant(cursor: Cursor, types: TypeReader): Reference {
  const type = types.read(cursor);
  const length = cursor.uleb(CONSTANT_SIZE_MAX);
  const at = cursor.skip(length);
  return { kind: "constant", type, bytes: cursor.bytes.subarray(at, at + length) };
}

function readField(cursor: Cursor, structs: readonly StructDefinition[]): Reference {
  const struct = cursor.pick(structs, "struct definitions");
  const at = cursor.at;
  const index = cursor.uleb(FIELD_OFFSET_MAX);
  const field = struct.fields[index] ?? cursor.fail(`field ${index} of ${struct.fields.length}`, at);
  return { kind: "field", struct, variants: NONE, field, index, typeArguments: NONE };
}

function readStructVariant(cursor: Cursor, structs: readonly StructDefinition[]): Reference {
  const struct = cursor.pick(structs, "struct definitions");
  return { kind: "variant", struct, variant: readVariant(cursor, struct), typeArguments: NONE };
}

function readVariantField(cursor: Cursor, structs: readonly StructDefinition[]): Reference {
  const struct = cursor.pick(structs, "struct definitions");
  const at = cursor.at;
  const index = cursor.uleb(FIELD_OFFSET_MAX);
  const count = cursor.uleb(VARIANT_COUNT_MAX);
  if (count === 0) cursor.fail("a field handle of no variant", at);
  const variants: Variant[] = [];
  for (let i = 0; i < count; i++) {
    const variant = readVariant(cursor, struct);
    if (index >= variant.fields.length) cursor.fail(`field ${index} of ${variant.fields.length}`, at);
    variants.push(variant);
  }
  return { kind: "field", struct, variants, field: variants[0]?.fields[index] as Field, index, typeArguments: NONE };
}

function readVariant(cursor: Cursor, owner: StructDefinition): Variant {
  const at = cursor.at;
  const index = cursor.uleb(VARIANT_OFFSET_MAX);
  return owner.variants[index] ?? cursor.fail(`variant ${index} of ${owner.variants.length}`, at);
}
