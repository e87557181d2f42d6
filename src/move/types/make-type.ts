import type { ModuleId } from "../module-id.ts";
import type { Ability, MoveType } from "./types.ts";

// Texts are concatenated with `+` on purpose: the engine keeps the result as a tree of its parts until the text is read,
// so thousands of nested or repeated types share their texts instead of copying them.

/** A type without parts: `bool`, `u64`, `address`, `signer` and so on. */
export function primitiveType(text: string): MoveType {
  return { kind: "primitive", text };
}

/** `vector<element>`. */
export function vectorType(element: MoveType): MoveType {
  return { kind: "vector", text: `vector<${element.text}>`, element };
}

/** `&target` or `&mut target`. */
export function referenceType(mutable: boolean, target: MoveType): MoveType {
  return { kind: "reference", text: mutable ? `&mut ${target.text}` : `&${target.text}`, mutable, target };
}

export function plainStructType(module: ModuleId, name: string): StructType {
  return { kind: "struct", text: `${module.address}::${module.name}::${name}`, module, name, typeArguments: [] };
}

/** `plain` with one or more type arguments. */
export function structType(plain: StructType, typeArguments: readonly MoveType[]): StructType {
  return {
    kind: "struct",
    text: `${plain.text}<${joinTexts(typeArguments, ", ")}>`,
    module: plain.module,
    name: plain.name,
    typeArguments,
  };
}

export function parameterType(index: number): MoveType {
  return PARAMETERS[index] ?? { kind: "parameter", text: `T${index}`, index };
}

/** `|params|results`; the text does not contain the abilities. */
export function functionType(abilities: readonly Ability[], params: readonly MoveType[], results: readonly MoveType[]): MoveType {
  return { kind: "function", text: `|${joinTexts(params, ",")}|${joinTexts(results, ",")}`, abilities, params, results };
}

/** A struct or enum, with or without type arguments. */
export type StructType = Extract<MoveType, { kind: "struct" }>;

const PARAMETERS: readonly MoveType[] = Array.from({ length: 32 }, (_, index) => ({ kind: "parameter", text: `T${index}`, index }));

function joinTexts(types: readonly MoveType[], separator: string): string {
  let text = "";
  for (let i = 0; i < types.length; i++) {
    if (i > 0) text += separator;
    text += (types[i] as MoveType).text;
  }
  return text;
}
