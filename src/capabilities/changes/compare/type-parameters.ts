import type { TypeParameterAbi } from "../../../core/abi/model.ts";
import { formatMoveType } from "../../../core/move/types/format-type.ts";
import type { Ability, MoveType } from "../../../core/move/types/make-type.ts";

/** Another number of them; one that requires an ability more, or less; one that is no longer phantom, or is now. */
type TypeParameterChange = "count" | "tightened" | "relaxed" | "phantom-removed" | "phantom-added";

/**
 * Compares type parameters by position: what is different in any of them. Source: `fun_type_parameters_compatible` and
 * `struct_type_parameters_compatible` in aptos-core's compatibility.rs.
 */
export function compareTypeParameters(before: readonly TypeParameterAbi[], after: readonly TypeParameterAbi[]): TypeParameterChange[] {
  if (before.length !== after.length) return ["count"];
  if (before.length === 0) return [];
  const found = new Set<TypeParameterChange>();
  for (const [i, old] of before.entries()) {
    const now = after[i] as TypeParameterAbi;
    if (lacking(old.constraints, now.constraints).length > 0) found.add("tightened");
    if (lacking(now.constraints, old.constraints).length > 0) found.add("relaxed");
    if (old.isPhantom !== now.isPhantom) found.add(old.isPhantom ? "phantom-removed" : "phantom-added");
  }
  return [...found];
}

export function lacking(given: readonly Ability[], wanted: readonly Ability[]): Ability[] {
  // Equal sets are mostly the same object.
  return given === wanted ? [] : wanted.filter((ability) => !given.includes(ability));
}

export function isSameTypes(a: readonly MoveType[], b: readonly MoveType[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const [one, other] = [a[i] as MoveType, b[i] as MoveType];
    if (one.text !== other.text || (one.text.includes("|") && formatMoveType(one) !== formatMoveType(other))) return false;
  }
  return true;
}
