import { formatMoveType } from "../../move/types/format-type.ts";
import type { Ability, MoveType } from "../../move/types/types.ts";
import type { TypeParameterAbi } from "../model.ts";

export type TypeParameterChanges = {
  /** Their number differs; then all other members are false. */
  readonly count: boolean;
  /** One requires an additional ability. */
  readonly tightened: boolean;
  /** One requires an ability less. */
  readonly relaxed: boolean;
  readonly phantomRemoved: boolean;
  readonly phantomAdded: boolean;
};

/**
 * Compares type parameters by position. Source: `fun_type_parameters_compatible` and `struct_type_parameters_compatible` in aptos-core's
 * compatibility.rs.
 */
export function compareTypeParameters(before: readonly TypeParameterAbi[], after: readonly TypeParameterAbi[]): TypeParameterChanges {
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
  return a.length === b.length && a.every((type, i) => formatMoveType(type) === formatMoveType(b[i] as MoveType));
}
