import type { Cursor } from "./cursor.ts";
import type { StructDefinition } from "./definitions.ts";
import { FIELD_OFFSET_MAX, VARIANT_COUNT_MAX, VARIANT_OFFSET_MAX } from "./limits.ts";
import { countRows, readRows } from "./rows.ts";
import { pick, readIndex } from "./table-index.ts";
import type { Signature } from "./type-reader.ts";

// Tables that only code refers to and that have no part in a module's interface. They are read in order to be as strict as
// the node, and because the operands of code are checked against their lengths. Source: check_bounds.rs.

/** Checks the field handles (a struct and the index of one of its fields) and returns their number. */
export function checkFieldHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  return countRows(cursor, () => {
    const owner = pick(cursor, structs, "struct definitions");
    const at = cursor.at;
    const field = cursor.uleb(FIELD_OFFSET_MAX);
    if (field >= owner.fields.length) cursor.fail(`field ${field} of ${owner.fields.length}`, at);
  });
}

/** Checks the variant field handles (an enum, the index of a field, the variants that have it) and returns their number. */
export function checkVariantFieldHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  return countRows(cursor, () => {
    const owner = pick(cursor, structs, "struct definitions");
    const at = cursor.at;
    const field = cursor.uleb(FIELD_OFFSET_MAX);
    const variants = cursor.uleb(VARIANT_COUNT_MAX);
    if (variants === 0) cursor.fail("a field handle of no variant", at);
    for (let i = 0; i < variants; i++) {
      const fields = readVariant(cursor, owner).fields.length;
      if (field >= fields) cursor.fail(`field ${field} of ${fields}`, at);
    }
  });
}

/** Checks the struct variant handles (an enum and the index of one of its variants) and returns their number. */
export function checkStructVariantHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  return countRows(cursor, () => {
    readVariant(cursor, pick(cursor, structs, "struct definitions"));
  });
}

export type Instantiations = {
  /** For each row the index of what it instantiates. */
  readonly of: readonly number[];
  /** For each row the number of type parameters that its arguments use. */
  readonly parametersUsed: readonly number[];
};

/** Reads a table of instantiations, whose rows are an index below `count` and a signature, the type arguments. */
export function readInstantiations(cursor: Cursor, count: number, name: string, signatures: readonly Signature[]): Instantiations {
  const parametersUsed: number[] = [];
  const of = readRows(cursor, () => {
    const index = readIndex(cursor, count, name);
    parametersUsed.push(pick(cursor, signatures, "signatures").parametersUsed);
    return index;
  });
  return { of, parametersUsed };
}

function readVariant(cursor: Cursor, owner: StructDefinition): StructDefinition["variants"][number] {
  const at = cursor.at;
  const index = cursor.uleb(VARIANT_OFFSET_MAX);
  return owner.variants[index] ?? cursor.fail(`variant ${index} of ${owner.variants.length}`, at);
}
