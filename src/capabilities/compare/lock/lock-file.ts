import { harmlessJson, isObject } from "../../../core/base/json.ts";
import { printable } from "../../../core/base/printable.ts";
import { ConfigError } from "../../../core/errors.ts";
import type { OwnUses } from "../../uses/reach.ts";

/** The file in the folder that the command runs in. */
export const LOCK_FILE = "movedex.lock";
/** What the file looks like. */
const FORMAT = 1;
/** By which rules its hashes are made: another canonical text, or other effects, is another number. */
export const RULES = 1;

/** Hashes of a function; null where what it does is more than can be followed. */
export type FunctionHashes = { readonly signature: string; readonly effects: string | null; readonly literals: string | null };

/** Of a module: the hash of all that others can use of it, and of the items that a build reaches. */
export type ModuleHashes = {
  readonly interface: string;
  readonly functions: ReadonlyMap<string, FunctionHashes>;
  readonly structs: ReadonlyMap<string, string>;
};

export type LockedModule = ModuleHashes & {
  /** The package's name, where the build has it. */
  readonly package: string | null;
  readonly ledgerVersion: bigint;
  readonly sha256: string;
};

/** What a build reaches of other modules, as it was when that was last accepted. */
export type Lock = {
  readonly rules: number;
  readonly chainId: number | null;
  /** What the build itself names. */
  readonly uses: OwnUses;
  /** By their names, in their order. */
  readonly modules: ReadonlyMap<string, LockedModule>;
};

/** The same text for the same state: an entry whose bytes alone changed differs in two lines. */
export function formatLock({ rules, chainId, uses, modules }: Lock): string {
  const words = ({ signature, effects, literals }: FunctionHashes): string => [signature, effects ?? "?", literals ?? "?"].join(" ");
  const entry = (module: LockedModule): unknown => ({
    ...(module.package === null ? {} : { package: module.package }),
    ledger_version: module.ledgerVersion.toString(),
    sha256: module.sha256,
    interface: module.interface,
    functions: sorted(new Map(Array.from(module.functions, ([name, hashes]) => [name, words(hashes)]))),
    structs: sorted(module.structs),
  });
  const { own, ...named } = uses;
  const locked = sorted(new Map(Array.from(modules, ([id, module]) => [id, entry(module)])));
  return `${harmlessJson({ format: FORMAT, rules, chain_id: chainId, own, uses: named, modules: locked }, 2)}\n`;
}

function sorted<T>(entries: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws ConfigError for a text that is no lock, or one of a newer movedex */
export function parseLock(text: string, path: string): Lock {
  const fail = (found: string): never => {
    throw new ConfigError(`\`${printable(path)}\` is no lock of movedex: ${found}. Take it from version control, or write it anew.`, {
      facts: { path },
    });
  };
  const wanted = <T>(value: unknown, isGood: (value: unknown) => value is T, name: string): T =>
    isGood(value) ? value : fail(`${name} is not as it should be`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return fail("it is not JSON");
  }
  const { format, rules, chain_id, own, uses, modules } = wanted(json, isObject, "the whole");
  if (format !== FORMAT) return fail(`its format is ${printable(String(format), 20)}, and this movedex knows ${FORMAT}`);
  const names = (from: unknown, name: string): readonly string[] => wanted(from, isTexts, name);
  const named = wanted(uses, isObject, "`uses`");
  const entries = Object.entries(wanted(modules, isObject, "`modules`")).map(([id, value]): [string, LockedModule] => {
    const entry = wanted(value, isObject, id);
    const hashes = (from: unknown, pattern: RegExp): [string, string][] =>
      Object.entries(wanted(from, isObject, id)).map(([name, hash]) => [name, wanted(hash, matches(pattern), `${id}::${name}`)]);
    const functions = hashes(entry["functions"], /^[\da-f]{32}(?: (?:[\da-f]{32}|\?)){2}$/).map(([name, words]) => {
      const [signature = "", effects = "?", literals = "?"] = words.split(" ");
      return [name, { signature, effects: effects === "?" ? null : effects, literals: literals === "?" ? null : literals }] as const;
    });
    return [
      wanted(id, matches(/^0x[\da-f]{1,64}::\S+$/), "`modules`"),
      {
        package: entry["package"] === undefined ? null : wanted(entry["package"], matches(/^/), id),
        ledgerVersion: BigInt(wanted(entry["ledger_version"], matches(/^\d{1,20}$/), id)),
        sha256: wanted(entry["sha256"], matches(/^[\da-f]{64}$/), id),
        interface: wanted(entry["interface"], matches(/^[\da-f]{32}$/), id),
        functions: new Map(functions),
        structs: new Map(hashes(entry["structs"], /^[\da-f]{32}$/)),
      },
    ];
  });
  return {
    rules: wanted(rules, Number.isSafeInteger as (value: unknown) => value is number, "`rules`"),
    chainId: chain_id === null ? null : wanted(chain_id, Number.isSafeInteger as (value: unknown) => value is number, "`chain_id`"),
    uses: {
      own: names(own, "`own`"),
      modules: names(named["modules"], "`uses`"),
      functions: names(named["functions"], "`uses`"),
      structs: names(named["structs"], "`uses`"),
    },
    modules: new Map(entries),
  };
}

function matches(pattern: RegExp): (value: unknown) => value is string {
  return (value): value is string => typeof value === "string" && pattern.test(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string" && item.includes("::"));
}
