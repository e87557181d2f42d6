import type { Ability } from "./types.ts";

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
