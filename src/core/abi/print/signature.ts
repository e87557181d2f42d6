import { formatMoveType } from "../../move/types/format-type.ts";
import type { Ability, MoveType } from "../../move/types/make-type.ts";
import type { FunctionAbi, StructAbi, TypeParameterAbi, Visibility } from "../model.ts";

export function formatVisibility(visibility: Visibility): string {
  return { private: "", public: "public ", friend: "public(friend) " }[visibility];
}

/**
 * A function's declaration on one line of Move, without parameter names: `public entry fun transfer<T0: key + store>(&signer,
 * address, u64): bool`. Function types have their abilities.
 */
export function formatSignature(fn: FunctionAbi, name = fn.name): string {
  const head = `${formatVisibility(fn.visibility)}${fn.isEntry ? "entry " : ""}${fn.isNative ? "native " : ""}fun ${name}${formatTypeParameters(fn.typeParams)}`;
  return `${head}(${fn.params.map(formatMoveType).join(", ")})${formatReturns(fn.returns, formatMoveType)}`;
}

type StructHead = Pick<StructAbi, "isNative" | "isEnum" | "name" | "typeParams" | "abilities">;

/** A struct's or enum's declaration on one line, without its fields: `native struct Coin<phantom T0> has store`. */
export function formatStructHead({ isNative, isEnum, name, typeParams, abilities }: StructHead): string {
  const kind = `${isNative ? "native " : ""}${isEnum ? "enum" : "struct"}`;
  return `${kind} ${name}${formatTypeParameters(typeParams)}${formatAbilities(abilities)}`;
}

/** ` has copy, drop`; empty if there are none. */
export function formatAbilities(abilities: readonly Ability[]): string {
  return abilities.length === 0 ? "" : ` has ${abilities.join(", ")}`;
}

/** Type parameters in angle brackets, `<T0, phantom T1: store>`; empty if there are none. */
export function formatTypeParameters(params: readonly TypeParameterAbi[]): string {
  return params.length === 0 ? "" : `<${params.map(formatTypeParameter).join(", ")}>`;
}

/** `: bool`, or `: (u64, bool)`; empty if there are none. */
export function formatReturns(returns: readonly MoveType[], typeText: (type: MoveType) => string): string {
  if (returns.length === 0) return "";
  const texts = returns.map(typeText).join(", ");
  return returns.length === 1 ? `: ${texts}` : `: (${texts})`;
}

function formatTypeParameter({ constraints, isPhantom }: TypeParameterAbi, index: number): string {
  const name = isPhantom ? `phantom T${index}` : `T${index}`;
  return constraints.length === 0 ? name : `${name}: ${constraints.join(" + ")}`;
}
