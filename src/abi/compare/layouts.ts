import { formatMoveType } from "../../move/types/format-type.ts";
import type { FieldAbi, VariantAbi } from "../model.ts";
import type { Witness } from "./finding.ts";

/** How the fields of a struct or variant changed; `renamed`: the types stayed in place and no name moved to another place. */
export type FieldsChange = "same" | "renamed" | "changed";

/**
 * Compares fields by position, which is how stored values identify them: two of one type that swapped places are not renamed.
 * Source: `fields_compatible` in compatibility.rs, which requires equal names too.
 */
export function compareFields(before: readonly FieldAbi[], after: readonly FieldAbi[]): FieldsChange {
  if (before.length !== after.length) return "changed";
  const now = (i: number): FieldAbi => after[i] as FieldAbi;
  if (before.some(({ type }, i) => formatMoveType(type) !== formatMoveType(now(i).type))) return "changed";
  if (before.every(({ name }, i) => name === now(i).name)) return "same";
  const places = new Map(before.map(({ name }, i) => [name, i]));
  return after.some(({ name }, i) => (places.get(name) ?? i) !== i) ? "changed" : "renamed";
}

/** The fields that differ, without the common ones at the beginning and the end. */
export function fieldsWitness(before: readonly FieldAbi[], after: readonly FieldAbi[]): Witness {
  return differingRange(before.map(fieldText), after.map(fieldText));
}

/** The texts that differ, with `…` for common ones at the beginning and the end. */
function differingRange(old: readonly string[], now: readonly string[]): Witness {
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

/** Changes of an enum's variants: those that differ at their place, undefined if none, and those appended after the last. */
export type VariantsChange = { readonly changed: Witness | undefined; readonly added: readonly string[] };

/** Compares variants by position, which is how stored values identify them. Source: `struct_layout_compatible` in compatibility.rs. */
export function compareVariants(before: readonly VariantAbi[], after: readonly VariantAbi[]): VariantsChange {
  const old = before.map(variantText);
  const now = after.map(variantText);
  const changed = differingRange(old, now.slice(0, old.length));
  return { changed: changed.before === null && changed.after === null ? undefined : changed, added: now.slice(old.length) };
}

function variantText({ name, fields }: VariantAbi): string {
  return fields.length === 0 ? name : `${name} { ${fields.map(fieldText).join(", ")} }`;
}

function fieldText({ name, type }: FieldAbi): string {
  return `${name}: ${formatMoveType(type)}`;
}
