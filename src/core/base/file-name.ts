import { sha256Hex } from "./sha256.ts";

const PLAIN = /^[a-z0-9_]{1,100}$/;
// Names that Windows reserves for devices, with any extension.
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** A module's name as a file name on any system: `coin` stays, `Coin` becomes `coin~` and 16 digits: some systems take both for one. */
export function fileName(name: string): string {
  if (PLAIN.test(name) && !RESERVED.test(name)) return name;
  const rest = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/g, "-")
    .slice(0, 60);
  return `${rest}~${sha256Hex(name).slice(0, 16)}`;
}
