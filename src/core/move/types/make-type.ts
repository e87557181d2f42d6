import type { ModuleId } from "../module-id.ts";

export type Ability = "copy" | "drop" | "store" | "key";

/**
 * A Move type. `text` is the node's spelling (`&mut 0x1::coin::Coin<T0>`), which leaves out the abilities of function types.
 * Source: aptos-core `third_party/move/move-binary-format` (SignatureToken), `api/types/src/move_types.rs`.
 */
export type MoveType =
  | { readonly kind: "primitive"; readonly text: string }
  | { readonly kind: "vector"; readonly text: string; readonly element: MoveType }
  | { readonly kind: "reference"; readonly text: string; readonly mutable: boolean; readonly target: MoveType }
  | {
      readonly kind: "struct";
      readonly text: string;
      readonly module: ModuleId;
      readonly name: string;
      readonly typeArguments: readonly MoveType[];
    }
  | { readonly kind: "parameter"; readonly text: string; readonly index: number }
  | {
      readonly kind: "function";
      readonly text: string;
      readonly abilities: readonly Ability[];
      readonly params: readonly MoveType[];
      readonly results: readonly MoveType[];
    }
  /** Text from a node that `parseType` could not parse, unchanged. */
  | { readonly kind: "unknown"; readonly text: string };

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
  return { ...plain, text: `${plain.text}<${joinTexts(typeArguments, ", ")}>`, typeArguments };
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

const NAMES: readonly Ability[] = ["copy", "drop", "store", "key"];

/** The abilities of each bit set from 0 to 15 (copy 1, drop 2, store 4, key 8), in the order in which the node prints them. */
const SETS: readonly (readonly Ability[])[] = Array.from({ length: 16 }, (_, bits) =>
  Object.freeze(NAMES.filter((_, i) => bits & (1 << i))),
);

/** The abilities of a bit set. There is one frozen list per set, so equal sets are the same object. */
export function abilitiesOf(bits: number): readonly Ability[] {
  return SETS[bits & 15] as readonly Ability[];
}

const bitsOf = new Map(SETS.map((set, bits) => [set, bits]));

/** The bit set of abilities: copy 1, drop 2, store 4, key 8. */
export function abilityBits(abilities: readonly Ability[]): number {
  return bitsOf.get(abilities) ?? NAMES.reduce((sum, ability, bit) => sum + (abilities.includes(ability) ? 1 << bit : 0), 0);
}

export function isAbility(text: unknown): text is Ability {
  return NAMES.includes(text as Ability);
}
