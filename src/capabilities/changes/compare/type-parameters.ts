import type { TypeParameterAbi } from "../../../core/abi/model.ts";
import { formatMoveType } from "../../../core/move/types/format-type.ts";
import type { Ability, MoveType } from "../../../core/move/types/make-type.ts";

type TypeParameterChanges = {
  /** Their number differs; then all other members are false. */
  readonly count: boolean;
  /** One requires an additional ability. */
  readonly tightened: boolean;
  /** One requires an ability less. */
  readonly relaxed: boolean;
  readonly phantomRemoved: boolean;
  readonly phantomAdded: boolean;
};

const NOTHING_CHANGED: TypeParameterChanges = {
  ...{ count: false, tightened: false, relaxed: false, phantomRemoved: false, phantomAdded: false },
};

/**
 * Compares type parameters by position. Source: `fun_type_parameters_compatible` and `struct_type_parameters_compatible` in aptos-core's
 * compatibility.rs.
 */
export function compareTypeParameters(before: readonly TypeParameterAbi[], after: readonly TypeParameterAbi[]): TypeParameterChanges {
  if (before.length + after.length === 0) return NOTHING_CHANGED;
  const count = before.length !== after.length;
  const pairs = count ? [] : before.map((param, i) => [param, after[i] as TypeParameterAbi] as const);
  return {
    count,
    tightened: pairs.some(([old, now]) => lacking(old.constraints, now.constraints).length > 0),
    relaxed: pairs.some(([old, now]) => lacking(now.constraints, old.constraints).length > 0),
    phantomRemoved: pairs.some(([old, now]) => old.isPhantom && !now.isPhantom),
    phantomAdded: pairs.some(([old, now]) => !old.isPhantom && now.isPhantom),
  };
}

export function lacking(given: readonly Ability[], wanted: readonly Ability[]): Ability[] {
  return wanted.filter((ability) => !given.includes(ability));
}

export function isSameTypes(a: readonly MoveType[], b: readonly MoveType[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const [one, other] = [a[i] as MoveType, b[i] as MoveType];
    if (one.text !== other.text || (one.text.includes("|") && formatMoveType(one) !== formatMoveType(other))) return false;
  }
  return true;
}
