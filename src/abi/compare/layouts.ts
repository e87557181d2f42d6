import { formatMoveType } from "../../move/types/format-type.ts";
import type { FieldAbi, VariantAbi } from "../model.ts";
import type { Witness } from "./finding.ts";

/** What became of the fields of a struct or variant; `renamed` when their types are the same in the same places. */
export type FieldsChange = "same" | "renamed" | "changed";

/** Compares fields by their places: the place is the meaning. Source: `fields_compatible` in compatibility.rs, which asks for names too. */
export function compareFields(before: readonly FieldAbi[], after: readonly FieldAbi[]): FieldsChange {
  if (before.length !== after.length) return "changed";
  const now = (i: number): FieldAbi => after[i] as FieldAbi;
  if (before.some(({ type }, i) => formatMoveType(type) !== formatMoveType(now(i).type))) return "changed";
  return before.every(({ name }, i) => name === now(i).name) ? "same" : "renamed";
}

/** The fields that differ, without the common ones at the beginning and the end. */
export function fieldsWitness(before: readonly FieldAbi[], after: readonly FieldAbi[]): Witness {
  const old = before.map(fieldText);
  const now = after.map(fieldText);
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const differing = (texts: readonly string[]): string | null => {
    const rest = texts.slice(head, texts.length - tail);
    if (rest.length === 0) return null;
    return [...(head > 0 ? ["…"] : []), ...rest, ...(tail > 0 ? ["…"] : [])].join(", ");
  };
  return { before: differing(old), after: differing(now) };
}

/** Changes of an enum's variants: a witness for each that differs at its place, and the variants appended after the last. */
export type VariantsChange = { readonly changed: readonly Witness[]; readonly added: readonly string[] };

/** Compares variants by position, which is how stored values identify them. Source: `struct_layout_compatible` in compatibility.rs. */
export function compareVariants(before: readonly VariantAbi[], after: readonly VariantAbi[]): VariantsChange {
  const changed = before.flatMap((old, i) => {
    const now = after[i];
    const isSame = now !== undefined && now.name === old.name && compareFields(old.fields, now.fields) === "same";
    return isSame ? [] : [{ before: variantText(old), after: now === undefined ? null : variantText(now) }];
  });
  return { changed, added: after.slice(before.length).map(variantText) };
}

function variantText({ name, fields }: VariantAbi): string {
  return fields.length === 0 ? name : `${name} { ${fields.map(fieldText).join(", ")} }`;
}

function fieldText({ name, type }: FieldAbi): string {
  return `${name}: ${formatMoveType(type)}`;
}
