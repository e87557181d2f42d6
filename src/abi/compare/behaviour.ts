import { formatReference } from "../../move/code/format-instruction.ts";
import type { FunctionCode, Instruction } from "../../move/code/read-code.ts";
import { isSameModule } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { abortCodeParts } from "../abort/category.ts";
import { listNames } from "./finding.ts";

/** A function that both versions of a module define, with other instructions. */
export type ChangedFunction = { readonly name: string; readonly was: FunctionCode; readonly is: FunctionCode };

/** What a function does, as far as it can be named: each kind with what of it there is. */
type Facts = ReadonlyMap<Fact, ReadonlySet<string>>;
const facts = ["aborts with", "moves", "writes", "reads", "emits", "calls", "uses"] as const;
type Fact = (typeof facts)[number];

/** What a changed function does no longer and does now; null where that has no name of its own. */
export type FunctionBehaviour = {
  readonly before: string | null;
  readonly after: string | null;
  /** Whether it aborts with codes that it did not have, instead of others. */
  readonly isOtherAbort: boolean;
};

/** How a changed function differs in what it does. */
export function behaviourOf({ was, is }: ChangedFunction): FunctionBehaviour {
  const [old, now] = [factsOf(was), factsOf(is)];
  const only = (these: Facts, those: Facts, fact: Fact): string[] =>
    [...(these.get(fact) ?? [])].filter((name) => those.get(fact)?.has(name) !== true);
  const words = (these: Facts, those: Facts): string | null =>
    facts
      .flatMap((fact) => {
        const names = listNames(only(these, those, fact));
        return names === null ? [] : [`${fact} ${names}`];
      })
      .join("; ") || null;
  const isOtherAbort = only(old, now, "aborts with").length > 0 && only(now, old, "aborts with").length > 0;
  return { before: words(old, now), after: words(now, old), isOtherAbort };
}

/** By the beginning of an instruction's name: what it does with a resource. */
const RESOURCES: readonly (readonly [RegExp, Fact])[] = [
  [/^(?:Exists|ImmBorrowGlobal)/, "reads"],
  [/^MutBorrowGlobal/, "writes"],
  [/^Move(?:From|To)/, "moves"],
];

function factsOf({ instructions }: FunctionCode): Facts {
  const found = new Map<Fact, Set<string>>(facts.map((fact) => [fact, new Set()]));
  const add = (fact: Fact, name: string): void => void found.get(fact)?.add(name);
  const codes = abortCodesOf(instructions);
  for (const code of codes.values()) add("aborts with", code);
  for (const [i, { name, reference, value }] of instructions.entries()) {
    if (reference?.kind === "function") {
      const text = formatReference(reference);
      if (/^0x1::event::emit(?:_event)?</.test(text)) add("emits", reference.typeArguments.map(({ text }) => text).join(", "));
      else add("calls", text);
    } else if (reference?.kind === "struct") {
      for (const [pattern, fact] of RESOURCES) if (pattern.test(name)) add(fact, formatReference(reference));
    } else if (reference?.kind === "constant") add("uses", formatReference(reference));
    else if (value !== undefined && name.startsWith("Ld") && !codes.has(i)) add("uses", String(value));
  }
  return found;
}

/** The categories of the standard library by the functions that make them. Source: move-stdlib/sources/error.move. */
const CATEGORY_OF: Readonly<Record<string, bigint>> = {
  invalid_argument: 1n,
  out_of_range: 2n,
  invalid_state: 3n,
  unauthenticated: 4n,
  permission_denied: 5n,
  not_found: 6n,
  aborted: 7n,
  already_exists: 8n,
  resource_exhausted: 9n,
  internal: 11n,
  not_implemented: 12n,
  unavailable: 13n,
};

/**
 * The codes of a function's aborts that are literals, with the category that a call of `0x1::error` gives them, by the index of the
 * literal. Compilers also put a code aside in a local variable before they abort.
 */
function abortCodesOf(instructions: readonly Instruction[]): ReadonlyMap<number, string> {
  const codes = new Map<number, string>();
  for (const [i, { name }] of instructions.entries()) {
    if (name !== "Abort" && name !== "AbortMsg") continue;
    const found = literalBefore(instructions, i, 0n);
    if (found !== undefined) codes.set(found.at, abortText(found.code));
  }
  return codes;
}

type Literal = { readonly at: number; readonly code: bigint };

function literalBefore(instructions: readonly Instruction[], end: number, category: bigint): Literal | undefined {
  const before = instructions[end - 1];
  if (before === undefined) return undefined;
  if (before.name === "LdU64") return { at: end - 1, code: (category << 16n) | (before.value ?? 0n) };
  if (before.reference?.kind === "function" && category === 0n) {
    const { module, name } = before.reference.handle;
    const given = module.address === "0x1" && module.name === "error" ? CATEGORY_OF[name] : undefined;
    return given === undefined ? undefined : literalBefore(instructions, end - 1, given);
  }
  if (before.name !== "MoveLoc" && before.name !== "CopyLoc") return undefined;
  const stored = instructions.findLastIndex(({ name, index }, i) => i < end - 1 && name === "StLoc" && index === before.index);
  return stored < 1 ? undefined : storedLiteral(instructions, stored, category);
}

/** A literal that is put aside, once: a variable of another variable is not followed. */
function storedLiteral(instructions: readonly Instruction[], stored: number, category: bigint): Literal | undefined {
  const name = instructions[stored - 1]?.name;
  return name === "MoveLoc" || name === "CopyLoc" ? undefined : literalBefore(instructions, stored, category);
}

function abortText(code: bigint): string {
  const { category } = abortCodeParts(code);
  return `0x${code.toString(16)}${category === undefined ? "" : ` (${category.name})`}`;
}

/**
 * How functions reach a changed one of their own module, by the shortest chain of calls: `f → g → h` by `f`. Those that changed
 * themselves are left out.
 */
export function reachingChanged(
  self: ModuleId,
  definitions: Iterable<FunctionCode["definition"]>,
  changed: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const callers = new Map<string, string[]>();
  for (const { handle, callees } of definitions) {
    for (const callee of callees) {
      if (!isSameModule(callee.module, self)) continue;
      const known = callers.get(callee.name);
      if (known === undefined) callers.set(callee.name, [handle.name]);
      else known.push(handle.name);
    }
  }
  const next = new Map<string, string | undefined>(Array.from(changed, (name) => [name, undefined]));
  // A map that grows while it is walked is walked to its end, the nearest first.
  for (const name of next.keys()) for (const caller of callers.get(name) ?? []) if (!next.has(caller)) next.set(caller, name);
  const chains = new Map<string, readonly string[]>();
  for (const name of next.keys()) {
    if (changed.has(name)) continue;
    const chain = [name];
    for (let to = next.get(name); to !== undefined && chain.length < CHAIN_MAX; to = next.get(to)) chain.push(to);
    chains.set(name, chain);
  }
  return chains;
}

/** Functions of a chain that is told. */
const CHAIN_MAX = 16;
