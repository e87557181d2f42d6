import type { FunctionCode, Instruction } from "../../core/move/code/read-code.ts";
import type { FunctionHandle } from "../../core/move/module/handles.ts";
import { OPCODE_NAMES } from "../../core/move/module/opcodes.ts";
import type { Reference } from "../../core/move/module/references.ts";
import { canonicalCode, computed, inCaller, join, literalAt, parameter, stackEffect, type Value } from "./value.ts";

/** What is known of a function before those that call it are looked at. */
export type Summary = {
  /** What its one result can be, in terms of its parameters; undefined if it has more results, or it can be anything. */
  readonly returns: Value;
  /** No path through it comes back. */
  readonly neverReturns: boolean;
  /** The parameters that it aborts with. */
  readonly codeParams: ReadonlySet<number>;
};

/** The values that instructions take from the stack, by their place, where it matters; and what comes out. */
export type Followed = Pick<Summary, "returns" | "neverReturns"> & {
  readonly args: readonly (readonly Value[])[];
  /** 1 where something leads to the instruction. */
  readonly live: Uint8Array;
};

/** How often each instruction of a function is looked at on average before its values count as unknown: loops take two or three rounds. */
const ROUNDS_MAX = 40;

/** What becomes of a number at an instruction. */
type Kind = "condition" | "branch" | "end" | "abort" | "store" | "load" | "borrow" | "literal" | "call" | "cast" | "operator" | "other";
const BY_NAME: Readonly<Record<string, Kind>> = {
  ...{ BrTrue: "condition", BrFalse: "condition", Branch: "branch", Ret: "end", Abort: "abort", AbortMsg: "abort" },
  ...{ StLoc: "store", CopyLoc: "load", MoveLoc: "load", MutBorrowLoc: "borrow", Call: "call", CallGeneric: "call" },
};
export const KINDS = OPCODE_NAMES.map((name): Kind => {
  if (/^(?:Add|Sub|Mul|Mod|Div|BitOr|BitAnd|Xor|Or|And|Eq|Neq|Lt|Gt|Le|Ge|Shl|Shr)$/.test(name)) return "operator";
  return BY_NAME[name] ?? (name.startsWith("Cast") ? "cast" : name.startsWith("Ld") ? "literal" : "other");
});
/** Those of which it matters what they take from the stack. */
const TAKING: ReadonlySet<Kind> = new Set(["call", "cast", "operator", "abort"]);

const NONE: readonly Value[] = [];

/**
 * Follows numbers through the local variables of a function, along its branches. Between blocks the stack is empty: the VM's verifier
 * requires that. `summaryOf` knows the callees of the same module.
 */
export function followValues(code: FunctionCode, summaryOf: (callee: FunctionHandle) => Summary | undefined): Followed {
  const { instructions, definition, locals } = code;
  const { params, returns: results } = definition.handle;
  const unknown = new Array<Value>(params.types.length + locals.length).fill(undefined);
  const isLeader = new Uint8Array(instructions.length + 1);
  for (const { opcode, index = 0 } of instructions) if (KINDS[opcode] === "condition" || KINDS[opcode] === "branch") isLeader[index] = 1;
  const states = new Map<number, readonly Value[]>([[0, unknown.map((_, i) => (i < params.types.length ? parameter(i) : undefined))]]);
  const queue = [0];
  const args = new Array<readonly Value[] | undefined>(instructions.length).fill(undefined);
  let [returns, neverReturns, isLive, dead]: [Value | null, boolean, boolean, number] = [null, true, true, 0];
  const live = new Uint8Array(instructions.length);
  let steps = instructions.length * ROUNDS_MAX;

  const goTo = (place: number, now: readonly Value[]): void => {
    const known = states.get(place);
    steps -= now.length >> 4;
    if (known === undefined) states.set(place, [...now]);
    else {
      let next: Value[] | undefined;
      for (let i = 0; i < known.length; i++) {
        const value = join(known[i], now[i]);
        if (value === known[i]) continue;
        next ??= [...known];
        next[i] = value;
      }
      if (next === undefined) return;
      states.set(place, next);
    }
    queue.push(place);
  };
  // Compilers leave code behind that nothing leads to any more: it is looked at too, so that what it does is not said to be gone.
  const nextStart = (): number | undefined => {
    const start = queue.pop();
    if (start !== undefined) return start;
    while (args[dead] !== undefined) dead += 1;
    if (dead >= instructions.length) return undefined;
    isLive = false;
    states.set(dead, unknown);
    return dead;
  };

  for (let start = nextStart(); start !== undefined; start = nextStart()) {
    const now = [...(states.get(start) as readonly Value[])];
    const stack: Value[] = [];
    for (let at = start; at < instructions.length; at++) {
      if (at !== start && isLeader[at] === 1) {
        goTo(at, now);
        break;
      }
      if (--steps < 0) return { args: instructions.map(() => NONE), live: live.fill(1), returns: undefined, neverReturns: false };
      if (isLive) live[at] = 1;
      const instruction = instructions[at] as Instruction;
      const { opcode, index = 0, reference } = instruction;
      const kind = KINDS[opcode] as Kind;
      if (kind === "load") {
        args[at] = NONE;
        stack.push(now[index]);
        continue;
      }
      if (kind === "store") {
        args[at] = NONE;
        now[index] = stack.pop();
        continue;
      }
      const [pops, pushes] = stackEffect(instruction);
      let some: Value[] | undefined;
      for (let i = pops - 1; i >= 0; i--) {
        const value = stack.pop();
        if (value === undefined) continue;
        some ??= new Array<Value>(pops);
        some[i] = value;
      }
      const taken = some !== undefined && TAKING.has(kind) ? some : NONE;
      args[at] = taken;
      if (kind === "abort") break;
      if (kind === "end") {
        if (!isLive) break;
        neverReturns = false;
        const result = results.types.length === 1 ? stack.at(-1) : undefined;
        returns = returns === null ? result : join(returns, result);
        break;
      }
      if (kind === "branch" || kind === "condition") {
        // A condition that is known here may come from a caller that was put in place of a call: both ways count.
        goTo(index, now);
        if (kind === "branch") break;
        continue;
      }
      const summary = reference?.kind === "function" && kind === "call" ? summaryOf(reference.handle) : undefined;
      if (summary?.neverReturns === true) break;
      // Who has a reference can write through it.
      if (kind === "borrow") now[index] = undefined;
      if (pushes === 1) stack.push(resultOf(instruction, kind, at, taken, summary));
      else for (let i = 0; i < pushes; i++) stack.push(undefined);
    }
  }
  return { args: args as readonly (readonly Value[])[], live, returns: returns ?? undefined, neverReturns };
}

function resultOf(
  { name, value, reference }: Instruction,
  kind: Kind,
  at: number,
  args: readonly Value[],
  summary: Summary | undefined,
): Value {
  if (kind === "literal") {
    const bit = name === "LdTrue" ? 1n : name === "LdFalse" ? 0n : value;
    const number = bit ?? (reference?.kind === "constant" ? numberIn(reference) : undefined);
    return number === undefined ? undefined : literalAt(at, number);
  }
  if (kind === "cast") return args[0];
  if (kind === "operator") return computed(name, args[0], args[1]);
  if (kind !== "call" || reference?.kind !== "function") return undefined;
  const { module, name: callee } = reference.handle;
  if (module.name === "error" && module.address === "0x1") return canonicalCode(callee, args);
  return summary && inCaller(summary.returns, args);
}

/** The number that a constant is; older compilers make one of each number with a name. */
function numberIn({ type, bytes }: Extract<Reference, { kind: "constant" }>): bigint | undefined {
  if (!/^u\d+$/.test(type.text) || bytes.length > 32) return undefined;
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
