import { attributeKinds, type FieldAbi, type ModuleAbi, type StructAbi, type VariantAbi } from "../../../core/abi/model.ts";
import { formatStructHead } from "../../../core/abi/print/signature.ts";
import { formatItemId } from "../../../core/move/module-id.ts";
import { formatMoveType } from "../../../core/move/types/format-type.ts";
import { makeFinding, type RuleFinding, type Witness } from "./finding.ts";
import type { RuleId } from "./rules/rules.ts";
import { compareTypeParameters, lacking } from "./type-parameters.ts";

/** Compares structs and enums. Findings are in the order of the older module, then of the newer one. */
export function compareStructs(before: ModuleAbi, after: ModuleAbi): RuleFinding[] {
  const old = new Map(before.structs.map((struct) => [struct.name, struct]));
  const now = new Map(after.structs.map((struct) => [struct.name, struct]));
  const isAdded = ({ name }: StructAbi): boolean => !old.has(name);
  return [
    ...[...old.values()].flatMap((struct) => compareStruct(before, struct, now.get(struct.name))),
    ...[...now.values()]
      .filter(isAdded)
      .map((struct) => finding("struct-added", struct, { before: null, after: formatStructHead(struct) })),
  ];
}

function compareStruct(module: ModuleAbi, old: StructAbi, now: StructAbi | undefined): RuleFinding[] {
  if (now === undefined) return [finding("struct-removed", old, { before: formatStructHead(old), after: null })];
  const heads = (): Witness => ({ before: formatStructHead(old), after: formatStructHead(now) });
  const found: RuleFinding[] = [];
  const add = (rule: RuleId, witness: Witness = heads()): void => {
    found.push(finding(rule, old, witness));
  };

  if (lacking(now.abilities, old.abilities).length > 0) add("abilities-removed");
  const gained = lacking(old.abilities, now.abilities);
  if (gained.some((ability) => ability !== "key")) add("abilities-added");
  else if (gained.length > 0) add("key-added");
  const typeParams = compareTypeParameters(old.typeParams, now.typeParams);
  if (typeParams.includes("count")) add("struct-type-parameters-changed");
  if (typeParams.includes("tightened")) add("struct-constraints-tightened");
  if (typeParams.includes("relaxed")) add("struct-constraints-relaxed");
  for (const phantom of ["phantom-removed", "phantom-added"] as const) if (typeParams.includes(phantom)) add(phantom);

  if (kindOf(old) !== kindOf(now)) add(isOptionAsEnum(module, old, now) ? "option-became-enum" : "struct-kind-changed");
  else found.push(...compareLayout(old, now));

  if (old.isEvent && !now.isEvent) add("event-removed", { ...heads(), before: `#[event] ${heads().before}` });
  if (!old.isEvent && now.isEvent) add("event-added", { ...heads(), after: `#[event] ${heads().after}` });
  compareGroups(old, now, add);
  return found;
}

/**
 * Compares fields and variants by position, which is how stored values identify them. Source: `fields_compatible`, which requires equal
 * names too, and `struct_layout_compatible` in compatibility.rs.
 */
function compareLayout(old: StructAbi, now: StructAbi): RuleFinding[] {
  const fields = compareFields(old.fields, now.fields);
  const [oldVariants, newVariants] = [old.variants.map(variantText), now.variants.map(variantText)];
  const changed = differingRange(oldVariants, newVariants.slice(0, oldVariants.length));
  return [
    ...(fields === "same" ? [] : [finding(`fields-${fields}`, old, differingRange(old.fields.map(fieldText), now.fields.map(fieldText)))]),
    ...(changed.before === null && changed.after === null ? [] : [finding("variant-changed", old, changed)]),
    ...newVariants.slice(oldVariants.length).map((variant) => finding("variant-added", old, { before: null, after: variant })),
  ];
}

function finding(rule: RuleId, { name }: StructAbi, witness: Witness): RuleFinding {
  return makeFinding(rule, { kind: "struct", name }, witness);
}

function kindOf({ isNative, isEnum }: StructAbi): string {
  return isNative ? "native" : isEnum ? "enum" : "struct";
}

/**
 * Whether this is `0x1::option::Option`, the one struct that became an enum on real chains. Its BCS bytes stay the same: a vector of at
 * most one element and an enum of `None` and `Some` are both 0, or 1 and the element. Source: aptos-core `api/types/src/bytecode.rs`,
 * `new_move_struct`.
 */
function isOptionAsEnum({ address, name }: ModuleAbi, old: StructAbi, now: StructAbi): boolean {
  const types = (fields: readonly FieldAbi[]): string => fields.map(({ type }) => type.text).join();
  const isOption = formatItemId({ module: { address, name }, name: old.name }) === "0x1::option::Option";
  return isOption && types(old.fields) === "vector<T0>" && now.variants.map(({ fields }) => types(fields)).join(" or ") === " or T0";
}

/** Scopes of resource groups, the narrowest first: members of the same module, of the same account, of any account. */
const SCOPES = ["module_", "address", "global"];

/**
 * Compares a struct as a resource group and as a member of one. The VM only allows a wider scope. Source:
 * `validate_module_and_extract_new_entries` in aptos-core's resource_groups.rs.
 */
function compareGroups(before: StructAbi, after: StructAbi, add: (rule: RuleId, witness: Witness) => void): void {
  const compare = (kind: number, words: string, rule: (was: string | undefined, is: string | undefined) => RuleId): void => {
    const [was, is] = [argument(before, kind), argument(after, kind)];
    const text = (value: string | undefined): string | null => (value === undefined ? null : `#[${words} = ${value})]`);
    if (was !== is) add(rule(was, is), { before: text(was), after: text(is) });
  };
  const isWider = (was: string | undefined, is: string | undefined): boolean => rank(was) >= 0 && rank(is) > rank(was);
  compare(attributeKinds.group, "resource_group(scope", (...s) => (isWider(...s) ? "resource-group-widened" : "resource-group-changed"));
  compare(attributeKinds.groupMember, "resource_group_member(group", () => "resource-group-member-changed");
}

function argument({ attributes }: StructAbi, kind: number): string | undefined {
  const attribute = attributes.find((candidate) => candidate.kind === kind);
  return attribute === undefined ? undefined : (attribute.args[0] ?? "");
}

function rank(scope: string | undefined): number {
  return scope === undefined ? -1 : SCOPES.indexOf(scope);
}

/** How fields changed. `renamed`: types stayed in place and no name moved to another place, so two that swapped places are `changed`. */
function compareFields(before: readonly FieldAbi[], after: readonly FieldAbi[]): "same" | "renamed" | "changed" {
  if (before.length !== after.length) return "changed";
  const now = (i: number): FieldAbi => after[i] as FieldAbi;
  if (before.some(({ type }, i) => formatMoveType(type) !== formatMoveType(now(i).type))) return "changed";
  if (before.every(({ name }, i) => name === now(i).name)) return "same";
  const places = new Map(before.map(({ name }, i) => [name, i]));
  return after.some(({ name }, i) => (places.get(name) ?? i) !== i) ? "changed" : "renamed";
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

function variantText({ name, fields }: VariantAbi): string {
  return fields.length === 0 ? name : `${name} { ${fields.map(fieldText).join(", ")} }`;
}

function fieldText({ name, type }: FieldAbi): string {
  return `${name}: ${formatMoveType(type)}`;
}
