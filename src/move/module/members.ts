import type { Cursor } from "./cursor.ts";
import type { StructDefinition } from "./definitions.ts";
import { FIELD_OFFSET_MAX, VARIANT_COUNT_MAX, VARIANT_OFFSET_MAX } from "./limits.ts";
import { pick, readIndex } from "./table-index.ts";
import type { Signature } from "./type-reader.ts";

// The tables that code refers to and that say nothing about a module's interface. They are read to be as strict as the
// node, and because code can only be checked against their lengths. Source: check_bounds.rs.

/** Checks the field handles and returns how many there are: a struct and the index of one of its fields. */
export function checkFieldHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  let count = 0;
  for (; cursor.more; count++) {
    const owner = pick(cursor, structs, "struct definitions");
    const at = cursor.at;
    const field = cursor.uleb(FIELD_OFFSET_MAX);
    if (field >= owner.fields.length) cursor.fail(`field ${field} of ${owner.fields.length}`, at);
  }
  return count;
}

/** Checks the variant field handles and returns how many there are: an enum, the index of a field, the variants that have it. */
export function checkVariantFieldHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  let count = 0;
  for (; cursor.more; count++) {
    const owner = pick(cursor, structs, "struct definitions");
    const at = cursor.at;
    const field = cursor.uleb(FIELD_OFFSET_MAX);
    const variants = cursor.uleb(VARIANT_COUNT_MAX);
    if (variants === 0) cursor.fail("a field handle of no variant", at);
    for (let i = 0; i < variants; i++) {
      const fields = readVariant(cursor, owner).fields.length;
      if (field >= fields) cursor.fail(`field ${field} of ${fields}`, at);
    }
  }
  return count;
}

/** Checks the struct variant handles and returns how many there are: an enum and the index of one of its variants. */
export function checkStructVariantHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  let count = 0;
  for (; cursor.more; count++) readVariant(cursor, pick(cursor, structs, "struct definitions"));
  return count;
}

/**
 * Reads one of the tables of instantiations: rows of an index below `count` and a signature, the type arguments. Returns
 * for each row how many type parameters its arguments presuppose.
 */
export function readInstantiations(cursor: Cursor, count: number, name: string, signatures: readonly Signature[]): number[] {
  const used: number[] = [];
  while (cursor.more) {
    readIndex(cursor, count, name);
    used.push(pick(cursor, signatures, "signatures").parametersUsed);
  }
  return used;
}

function readVariant(cursor: Cursor, owner: StructDefinition): StructDefinition["variants"][number] {
  const at = cursor.at;
  const index = cursor.uleb(VARIANT_OFFSET_MAX);
  return owner.variants[index] ?? cursor.fail(`variant ${index} of ${owner.variants.length}`, at);
}
