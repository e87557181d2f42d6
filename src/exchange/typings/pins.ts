import { readFileSync } from "node:fs";
import { join } from "node:path";
import { harmlessJson } from "../../base/json.ts";
import type { Address } from "../../move/address.ts";
import type { U64Type } from "./typescript-move.ts";

/** The file that records the snapshot and bytecode that typings were made from. */
export const PINS_FILE = "movedex-typings.json";

/** Which modules typings were asked for: whole accounts and single modules (`0x1::coin`), or all. */
export type Selection = "all" | { readonly accounts: readonly Address[]; readonly modules: readonly string[] };

/** What typings were made from, and for which modules and options. */
export type Pins = {
  readonly chain_id: number;
  readonly ledger_version: string;
  readonly u64: U64Type;
  readonly selection: Selection;
  /** SHA-256 of each module's bytecode, 64 hex digits. */
  readonly modules: Readonly<Record<string, string>>;
  /** Modules that the types mention but the archive did not hold. */
  readonly missing: readonly string[];
};

export function formatPins({ u64, ...others }: Pins): string {
  return `${harmlessJson({ ...others, u64 }, 2)}\n`;
}

/** The modules whose typings a directory has, by its pins; none if there are no pins that can be read. */
export function pinnedModules(directory: string): string[] {
  try {
    const json: unknown = JSON.parse(readFileSync(join(directory, PINS_FILE), "utf8"));
    return isObject(json) && isObject(json["modules"]) ? Object.keys(json["modules"]) : [];
  } catch {
    return [];
  }
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
