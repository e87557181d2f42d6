import { type FunctionCode, InstructionColumns } from "../../core/move/code/read-code.ts";
import type { FunctionHandle } from "../../core/move/module/handles.ts";
import { OPCODE_NAMES, OPERAND, operand } from "../../core/move/module/opcodes.ts";
import type { Reference } from "../../core/move/module/references.ts";
import {
  ABORT,
  BORROW,
  BRANCH,
  CALL,
  CAST,
  CONDITION,
  END,
  KINDS,
  LITERAL,
  LOAD,
  OPERATOR,
  POPS,
  PUSHES,
  STORE,
  stackEffect,
  VARYING,
} from "./instruction-kinds.ts";
import { canonicalCode, computed, computing, inCaller, join, literalAt, parameter, type Value } from "./value.ts";

/** What is known of a function before those that call it are looked at. */
export type Summary = {
  /** What its one result can be, in terms of its parameters; undefined if it has more results, or it can be anything. */
  readonly returns: Value;
  /** No path through it comes back. */
  readonly neverReturns: boolean;
  /** The parameters that it aborts with. */
  readonly codeParams: ReadonlySet<number>;
};

/** How often each instruction of a function is looked at on average before its values count as unknown: loops take two or three rounds. */
const ROUNDS_MAX = 40;
/** Rows of what is kept for each instruction, and values on the stack, which the VM's verifier keeps below 1,024. */
const ROWS = 0x10000;
/** Local variables at places that branches go to, beyond which their room is given back. */
const STATES_KEPT = 0x100000;

const COMPUTING = OPCODE_NAMES.map((name) => computing.has(name));

/**
 * Follows numbers through the local variables of one function after another, along its branches. Between blocks the stack is empty: the
 * VM's verifier requires that. A value is a number: 0 if it can be anything, below 0 the literal at the place -1 - n, above 0 one of
 * `values`. Most are never asked for, and those are no objects.
 */
export class ValueFollower extends InstructionColumns {
  code!: FunctionCode;
  /** 1 for an instruction that something leads to. */
  readonly live = new Uint8Array(ROWS);
  /** The code of an abort, and the right side of an operator. */
  readonly operand = new Int32Array(ROWS);
  /** The arguments of calls, where any of them is known. */
  readonly args = new Map<number, readonly number[]>();
  private readonly isTarget = new Uint8Array(ROWS);
  private readonly isSeen = new Uint8Array(ROWS);
  private readonly stack = new Int32Array(ROWS);
  private readonly literals = new Map<number, Value>();
  private values: Value[] = [];
  /** The local variables where it is, and where branches go to: those of a place begin behind `stateAt`, if that is not 0. */
  private readonly now = new Int32Array(0x100);
  private states = new Int32Array(ROWS);
  private readonly stateAt = new Int32Array(ROWS);
  private statesUsed = 0;
  private localCount = 0;
  private readonly queue: number[] = [];
  private steps = 0;
  private isLive = 1;
  private dead = 0;
  private returns: Value | null = null;
  private neverReturns = true;
  private summaryOf!: (callee: FunctionHandle) => Summary | undefined;

  /** `summaryOf` knows the callees of the same module. What instructions take stays here until the next function. */
  follow(code: FunctionCode, summaryOf: (callee: FunctionHandle) => Summary | undefined): Pick<Summary, "returns" | "neverReturns"> {
    this.begin(code);
    this.summaryOf = summaryOf;
    for (let start = this.nextStart(); start >= 0 && this.steps >= 0; start = this.nextStart()) this.followBlock(start);
    if (this.steps >= 0) return { returns: this.returns ?? undefined, neverReturns: this.neverReturns };
    this.live.fill(1, 0, code.length);
    this.operand.fill(0, 0, code.length);
    this.args.clear();
    return { returns: undefined, neverReturns: false };
  }

  /** The values behind numbers. */
  valuesOf(numbers: readonly number[]): Value[] {
    return numbers.map((number) => this.value(number));
  }

  value(number: number): Value {
    if (number >= 0) return this.values[number];
    const place = -1 - number;
    const known = this.literals.get(place) ?? literalAt(place, this.numberAt(place) ?? 0n);
    this.literals.set(place, known);
    return known;
  }

  private begin(code: FunctionCode): void {
    this.read(code);
    this.code = code;
    for (const column of [this.live, this.operand, this.isTarget, this.isSeen, this.stateAt]) column.fill(0, 0, code.length);
    this.args.clear();
    this.literals.clear();
    this.values = [undefined];
    if (this.states.length > STATES_KEPT) this.states = new Int32Array(ROWS);
    for (let at = 0; at < code.length; at++)
      if (KINDS[this.opcodes[at] as number] === CONDITION || KINDS[this.opcodes[at] as number] === BRANCH)
        this.isTarget[this.operands[at] as number] = 1;
    const params = code.definition.handle.params.types.length;
    this.localCount = params + code.locals.length;
    this.now.fill(0, 0, this.localCount);
    for (let i = 0; i < params; i++) this.now[i] = this.add(parameter(i));
    [this.isLive, this.dead, this.statesUsed, this.steps] = [1, 0, 0, code.length * ROUNDS_MAX];
    [this.returns, this.neverReturns] = [null, true];
    this.queue.length = 0;
    if (code.length > 0) this.goTo(0);
  }

  private nextStart(): number {
    const start = this.queue.pop();
    if (start !== undefined) return start;
    // Compilers leave code behind that nothing leads to any more: it is looked at too, so that what it does is not said to be gone.
    while (this.isSeen[this.dead] === 1 && this.dead < this.code.length) this.dead += 1;
    if (this.dead >= this.code.length) return -1;
    this.isLive = 0;
    this.now.fill(0, 0, this.localCount);
    this.goTo(this.dead);
    return this.queue.pop() as number;
  }

  private followBlock(start: number): void {
    const { opcodes, operands, now, stack } = this;
    const { length } = this.code;
    const state = (this.stateAt[start] as number) - 1;
    for (let i = 0; i < this.localCount; i++) now[i] = this.states[state + i] as number;
    let size = 0;
    for (let at = start; at < length; at++) {
      if (at !== start && this.isTarget[at] === 1) {
        this.goTo(at);
        return;
      }
      if (--this.steps < 0) return;
      if (this.isLive === 1) this.live[at] = 1;
      this.isSeen[at] = 1;
      const opcode = opcodes[at] as number;
      const kind = KINDS[opcode] as number;
      const index = operands[at] as number;
      let pops = POPS[opcode] as number;
      let pushes = PUSHES[opcode] as number;
      if (kind === CALL) {
        const { params, returns } = this.calleeAt(at);
        pops = params.types.length;
        pushes = returns.types.length;
      } else if (pops === VARYING) [pops, pushes] = stackEffect(this.code.instructionAt(this.offsets[at] as number));
      if (size < pops) size = this.lift(size, pops);
      size -= pops;
      if (size + pushes > ROWS) size = 0;
      let result = 0;
      if (kind === LOAD) result = now[index] as number;
      else if (kind === STORE) now[index] = stack[size] as number;
      else if (kind === LITERAL) result = OPERAND[opcode] === operand.none || this.numberAt(at) !== undefined ? -1 - at : 0;
      else if (kind === CALL) {
        result = this.call(at, size, pops);
        if (result < 0) return;
      } else if (kind === OPERATOR) {
        this.operand[at] = stack[size + 1] as number;
        if (COMPUTING[opcode] === true) result = this.compute(opcode, stack[size] as number, stack[size + 1] as number);
      } else if (kind === CAST) result = stack[size] as number;
      // Who has a reference can write through it.
      else if (kind === BORROW) now[index] = 0;
      // A condition that is known here may come from a caller that was put in place of a call: both ways count.
      else if (kind === CONDITION || kind === BRANCH) this.goTo(index);
      else if (kind === ABORT) this.operand[at] = stack[size] as number;
      else if (kind === END) this.end(size);
      if (kind >= BRANCH) return;
      if (pushes === 1) stack[size++] = result;
      else for (let i = 0; i < pushes; i++) stack[size++] = 0;
    }
  }

  private calleeAt(at: number): FunctionHandle {
    const row = this.code.rows[OPERAND[this.opcodes[at] as number] as number]?.[this.operands[at] as number];
    return (row as Extract<Reference, { kind: "function" }>).handle;
  }

  /** What is below the stack, in a function that no verifier has seen, can be anything. */
  private lift(size: number, pops: number): number {
    this.stack.copyWithin(pops - size, 0, size).fill(0, 0, pops - size);
    return pops;
  }

  /** Joins what the local variables are with what they are at a place otherwise. */
  private goTo(place: number): void {
    const { now, localCount } = this;
    this.steps -= localCount >> 4;
    let isNew = false;
    let at = (this.stateAt[place] as number) - 1;
    if (at < 0) {
      at = this.statesUsed;
      this.statesUsed += localCount;
      this.stateAt[place] = at + 1;
      if (this.statesUsed > this.states.length) {
        const larger = new Int32Array(this.statesUsed * 2);
        larger.set(this.states);
        this.states = larger;
      }
      for (let i = 0; i < localCount; i++) this.states[at + i] = now[i] as number;
      isNew = true;
    } else {
      for (let i = 0; i < localCount; i++) {
        const known = this.states[at + i] as number;
        const value = known === now[i] ? known : this.join(known, now[i] as number);
        if (value === known) continue;
        this.states[at + i] = value;
        isNew = true;
      }
    }
    if (isNew) this.queue.push(place);
  }

  private join(a: number, b: number): number {
    if (a === 0 || b === 0) return 0;
    const was = this.value(a);
    const joined = join(was, this.value(b));
    return joined === was ? a : this.add(joined);
  }

  private add(value: Value): number {
    return value === undefined ? 0 : this.values.push(value) - 1;
  }

  /** @returns its result; a number below 0 where it never comes back */
  private call(at: number, begin: number, pops: number): number {
    const callee = this.calleeAt(at);
    const summary = this.summaryOf(callee);
    const args: number[] = [];
    for (let i = 0; i < pops; i++) args.push(this.stack[begin + i] as number);
    if (args.some((arg) => arg !== 0)) this.args.set(at, args);
    else this.args.delete(at);
    if (summary?.neverReturns === true) return -1;
    const { module, name } = callee;
    if (module.name === "error" && module.address === "0x1") return this.add(canonicalCode(name, this.valuesOf(args)));
    return summary?.returns === undefined ? 0 : this.add(inCaller(summary.returns, this.valuesOf(args)));
  }

  private compute(opcode: number, left: number, right: number): number {
    return left === 0 || right === 0 ? 0 : this.add(computed(OPCODE_NAMES[opcode] as string, this.value(left), this.value(right)));
  }

  private end(size: number): void {
    if (this.isLive === 0) return;
    this.neverReturns = false;
    const isOne = this.code.definition.handle.returns.types.length === 1 && size > 0;
    const value = isOne ? this.value(this.stack[size - 1] as number) : undefined;
    this.returns = this.returns === null ? value : join(this.returns, value);
  }

  /** The number that a literal is; older compilers make a constant of each number with a name. */
  private numberAt(place: number): bigint | undefined {
    const { name, value, reference } = this.code.instructionAt(this.offsets[place] as number);
    if (name === "LdTrue" || name === "LdFalse") return name === "LdTrue" ? 1n : 0n;
    if (reference?.kind !== "constant") return value;
    const { type, bytes } = reference;
    if (!/^u\d+$/.test(type.text) || bytes.length > 32) return undefined;
    return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }
}
