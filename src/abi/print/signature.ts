import { formatMoveType } from "../../move/types/format-type.ts";
import type { MoveType } from "../../move/types/types.ts";
import type { FunctionAbi, TypeParameterAbi } from "../model.ts";

/**
 * A function's declaration on one line of Move, without parameter names: `public entry fun transfer<T0: key + store>(&signer,
 * address, u64): bool`. Function types have their abilities.
 */
export function formatSignature(fn: FunctionAbi): string {
  const visibility = { private: "", public: "public ", friend: "public(friend) " }[fn.visibility];
  const head = `${visibility}${fn.isEntry ? "entry " : ""}${fn.isNative ? "native " : ""}fun ${fn.name}${formatTypeParameters(fn.typeParams)}`;
  return `${head}(${fn.params.map(formatMoveType).join(", ")})${formatReturns(fn.returns)}`;
}

/** Type parameters in angle brackets, `<T0, phantom T1: store>`; empty if there are none. */
export function formatTypeParameters(params: readonly TypeParameterAbi[]): string {
  return params.length === 0 ? "" : `<${params.map(formatTypeParameter).join(", ")}>`;
}

function formatReturns(returns: readonly MoveType[]): string {
  if (returns.length === 0) return "";
  const texts = returns.map(formatMoveType).join(", ");
  return returns.length === 1 ? `: ${texts}` : `: (${texts})`;
}

function formatTypeParameter({ constraints, isPhantom }: TypeParameterAbi, index: number): string {
  const name = isPhantom ? `phantom T${index}` : `T${index}`;
  return constraints.length === 0 ? name : `${name}: ${constraints.join(" + ")}`;
}
