import { sha256Hex } from "../base/sha256.ts";

const PLAIN = /^[a-z0-9_]{1,100}$/;
// Names that Windows keeps for devices, with whatever ending.
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * A file name, without ending, for a module's name: the name itself where that is safe on every system, else what is left
 * of it with a piece of its SHA-256. Move tells `Coin` from `coin` and many file systems do not, so only lower-case names
 * stand as they are, and two names never meet.
 *
 * @example
 * fileName("coin") // "coin"
 * fileName("Coin") // "coin~" and 16 digits
 */
export function fileName(name: string): string {
  if (PLAIN.test(name) && !RESERVED.test(name)) return name;
  const rest = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/g, "-")
    .slice(0, 60);
  return `${rest}~${sha256Hex(name).slice(0, 16)}`;
}
