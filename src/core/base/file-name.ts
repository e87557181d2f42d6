import { sha256Hex } from "./sha256.ts";

const PLAIN = /^[a-z0-9_]{1,100}$/;
// Names that Windows reserves for devices, with any extension.
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * A file name, without extension, for a module's name: the name itself if that is safe on every system, else its safe
 * characters and part of its SHA-256. Many file systems do not distinguish `Coin` from `coin`, so only lower-case names are
 * used unchanged, and different names never give the same file name.
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
