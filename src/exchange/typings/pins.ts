import { readFileSync } from "node:fs";
import { join } from "node:path";
import { harmlessJson } from "../../base/json.ts";
import { type Address, parseAddress } from "../../move/address.ts";
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

/** The pins of a directory as far as they decide what belongs in it; undefined if there are none of TypeScript that can be read. */
export function readPins(directory: string): Pick<Pins, "chain_id" | "u64" | "selection" | "modules"> | undefined {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(join(directory, PINS_FILE), "utf8"));
  } catch {
    return undefined;
  }
  if (!isObject(json)) return undefined;
  const { chain_id, u64 = "string", modules } = json;
  const selection = readSelection(json["selection"]);
  // Earlier versions named another language than TypeScript.
  if ("language" in json || selection === undefined || !isObject(modules)) return undefined;
  const isGood = Number.isSafeInteger(chain_id) && (u64 === "string" || u64 === "bigint");
  return isGood ? { chain_id: chain_id as number, u64, selection, modules: modules as Pins["modules"] } : undefined;
}

function readSelection(json: unknown): Selection | undefined {
  if (json === "all") return json;
  if (!isObject(json)) return undefined;
  const { accounts, modules } = json;
  if (!isTexts(accounts) || !isTexts(modules)) return undefined;
  const addresses = accounts.map(parseAddress).filter((address) => address !== undefined);
  return addresses.length === accounts.length ? { accounts: addresses, modules } : undefined;
}

function isTexts(json: unknown): json is readonly string[] {
  return Array.isArray(json) && json.every((item) => typeof item === "string");
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
