import { formatReference } from "../../move/code/format-instruction.ts";
import type { FunctionCode, Instruction } from "../../move/code/read-code.ts";
import { abortCodeParts, categoryOf } from "../abort/abort-codes.ts";

/** What a function does, as far as it can be named: each kind with what of it there is. */
export type Effects = ReadonlyMap<Effect, ReadonlySet<string>>;
export const effects = ["aborts with", "moves", "writes", "reads", "emits", "calls", "uses"] as const;
export type Effect = (typeof effects)[number];

/** By the beginning of an instruction's name: what it does with a resource. */
const RESOURCES: readonly (readonly [RegExp, Effect])[] = [
  [/^(?:Exists|ImmBorrowGlobal)/, "reads"],
  [/^MutBorrowGlobal/, "writes"],
  [/^Move(?:From|To)/, "moves"],
];

export function effectsOf({ instructions }: Pick<FunctionCode, "instructions">): Effects {
  const found = new Map<Effect, Set<string>>(effects.map((effect) => [effect, new Set()]));
  const add = (effect: Effect, name: string): void => void found.get(effect)?.add(name);
  const codes = abortCodesOf(instructions);
  for (const code of codes.values()) add("aborts with", abortText(code));
  for (const [i, { name, reference, value }] of instructions.entries()) {
    if (reference?.kind === "function") {
      const text = formatReference(reference);
      if (/^0x1::event::emit(?:_event)?</.test(text)) add("emits", reference.typeArguments.map(({ text }) => text).join(", "));
      else add("calls", text);
    } else if (reference?.kind === "struct") {
      for (const [pattern, effect] of RESOURCES) if (pattern.test(name)) add(effect, formatReference(reference));
    } else if (reference?.kind === "constant") add("uses", formatReference(reference));
    else if (value !== undefined && name.startsWith("Ld") && !codes.has(i)) add("uses", String(value));
  }
  return found;
}

/**
 * The codes of a function's aborts that are literals, with the category that a call of `0x1::error` gives them, by the index of the
 * literal. Compilers also put a code aside in a local variable before they abort.
 */
export function abortCodesOf(instructions: readonly Instruction[]): ReadonlyMap<number, bigint> {
  const codes = new Map<number, bigint>();
  for (const [i, { name }] of instructions.entries()) {
    if (name !== "Abort" && name !== "AbortMsg") continue;
    const found = literalBefore(instructions, i, 0n);
    if (found !== undefined) codes.set(found.at, found.code);
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
    const given = module.address === "0x1" && module.name === "error" ? categoryOf(name) : undefined;
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
