import type { FunctionCode } from "../../core/move/code/read-code.ts";
import { type Cursor, INSTRUCTION_COUNT_MAX, TABLE_INDEX_MAX } from "../../core/move/module/cursor.ts";
import type { FunctionHandle } from "../../core/move/module/handles.ts";
import { IMMEDIATE_BYTES, MASK, OPCODE_NAMES, OPERAND, operand } from "../../core/move/module/opcodes.ts";
import type { Reference } from "../../core/move/module/references.ts";
import type { ModuleId } from "../../core/move/module-id.ts";
import * as kinds from "./instruction-kinds.ts";
import { arithmetic, canonicalCode, computed, inCaller, join, literalAt, NOTHING, parameter, type Value } from "./value.ts";

const { BORROW, BRANCH, CALL, CONDITION, END, KINDS, STACK_EFFECTS, STORE } = kinds;

/** What is known of a function before those that call it are looked at. */
export type Summary = {
  /** What its one result can be, in terms of its parameters; undefined if it has more results, or it can be anything. */
  readonly returns: Value;
  /** No path through it comes back. */
  readonly neverReturns: boolean;
  /** The parameters that it aborts with. */
  readonly codeParams: ReadonlySet<number>;
};

/** Steps back for each instruction of a function, and numbers that one is made of in turn, beyond which it can be anything. */
const [STEPS_MAX, DEPTH_MAX] = [40, 50];
export const TAKEN = 2;
/** Of a local variable that is stored at several places, or that a reference leads to. */
const ANYWHERE = -1;

/**
 * The instructions of one function after another, and what the numbers in them can be: found when one is asked for, back from where it is
 * used, through local variables and along all branches that lead there. Between blocks the stack is empty: the VM's verifier requires that.
 */
export class FunctionBody {
  code!: FunctionCode;
  readonly opcodes = new Uint8Array(INSTRUCTION_COUNT_MAX);
  /** A local variable, the instruction that a branch goes to, or the row of a table; 0 where there is no operand. */
  readonly operands = new Uint16Array(INSTRUCTION_COUNT_MAX);
  /** Where each begins in the module's bytes. */
  readonly offsets = new Uint32Array(INSTRUCTION_COUNT_MAX);
  /** 1 for an instruction that something leads to, `TAKEN` for such a literal that stands for no number by itself. */
  readonly live = new Uint8Array(INSTRUCTION_COUNT_MAX);
  /** For each place the last branch that goes there, counted from 1, and for each branch the one before it that goes to the same place. */
  private readonly last = new Uint16Array(INSTRUCTION_COUNT_MAX + 1);
  private readonly before = new Uint16Array(INSTRUCTION_COUNT_MAX + 1);
  /** Where each local variable is stored, counted from 1; 0 for nowhere. */
  private readonly stores = new Int32Array(0x100);
  private paramCount = 0;
  private steps = 0;
  /** The instructions whose result is being found. */
  private readonly asked: number[] = [];
  private summaryOf!: (module: ModuleId, name: string) => Summary | undefined;
  /** 1 where a function can come from there to its end; `isReturning` once it is known. */
  private readonly returning = new Uint8Array(INSTRUCTION_COUNT_MAX + 1);
  private isReturning = false;

  /** Goes on to a function. `summaryOf` knows the callees of the same module. */
  open(code: FunctionCode, summaryOf: (module: ModuleId, name: string) => Summary | undefined): Pick<Summary, "returns" | "neverReturns"> {
    const { params, returns } = code.definition.handle;
    this.code = code;
    this.summaryOf = summaryOf;
    this.isReturning = false;
    this.paramCount = params.types.length;
    this.steps = code.length * STEPS_MAX;
    this.live.fill(0, 0, code.length);
    this.last.fill(0, 0, code.length);
    this.stores.fill(0);
    this.read(code.open());
    const ends = this.follow();
    const result = returns.types.length === 1 ? ends.reduce((found, at) => join(found, this.value(at)), NOTHING) : undefined;
    return { returns: ends.length === 0 ? undefined : result, neverReturns: ends.length === 0 };
  }

  /** Reads the instructions, with where they store local variables and where they branch to. */
  private read(cursor: Cursor): void {
    const { stores, last, before } = this;
    for (let at = 0; at < this.code.length; at++) {
      this.offsets[at] = cursor.at;
      const opcode = cursor.u8();
      const index = OPERAND[opcode] === operand.none ? 0 : cursor.uleb(TABLE_INDEX_MAX);
      this.opcodes[at] = opcode;
      this.operands[at] = index;
      const bytes = IMMEDIATE_BYTES[opcode] as number;
      if (bytes === MASK) cursor.skipU64();
      else if (bytes > 0) cursor.skip(bytes);
      const kind = KINDS[opcode];
      if (kind === STORE) stores[index] = stores[index] === 0 && index >= this.paramCount ? at + 1 : ANYWHERE;
      // Who has a reference can write through it.
      else if (kind === BORROW) stores[index] = ANYWHERE;
      else if (kind === BRANCH || kind === CONDITION) {
        before[at + 1] = last[index] as number;
        last[index] = at + 1;
      }
    }
  }

  /** Marks what something leads to, and finds where the function comes back. */
  private follow(): number[] {
    const ends: number[] = [];
    const open = this.code.length > 0 ? [0] : [];
    for (let start = open.pop(); start !== undefined; start = open.pop())
      for (let at = start; at < this.code.length && this.live[at] === 0; at++) {
        this.live[at] = 1;
        const kind = this.kindAt(at);
        // A condition that is known here may come from a caller that was put in place of a call: both ways count.
        if (kind === CONDITION || kind === BRANCH) open.push(this.operands[at] as number);
        if (kind === END) ends.push(at);
        if (kind >= BRANCH || this.endsAt(at)) break;
      }
    return ends;
  }

  /** Whether the function can come from an instruction to its end without an abort. */
  canReturn(place: number): boolean {
    if (!this.isReturning) this.findReturning();
    return this.returning[place] === 1;
  }

  private findReturning(): void {
    const { code, returning: found } = this;
    this.isReturning = true;
    found.fill(0, 0, code.length + 1);
    const open: number[] = [];
    for (let place = 0; place < code.length; place++) if (this.kindAt(place) === END) open.push(place);
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (found[place] === 1) continue;
      found[place] = 1;
      this.addSources(place, open);
    }
  }

  /** The numbers that can be on the stack before an instruction: on top, or below some others. */
  value(place: number, below = 0): Value {
    let over = below;
    for (let at = place - 1; at >= 0 && this.last[at + 1] === 0 && this.kindAt(at) < BRANCH; at--) {
      if (--this.steps < 0) return undefined;
      const effect = this.stackEffect(at);
      if (over < effect[1]) return effect[1] === 1 ? this.result(at) : undefined;
      over += effect[0] - effect[1];
    }
    return undefined;
  }

  /** The arguments of a call. */
  args(at: number): Value[] {
    return this.calleeAt(at).params.types.map((_, i, { length }) => this.value(at, length - 1 - i));
  }

  private stackEffect(at: number): readonly [pops: number, pushes: number] {
    const known = STACK_EFFECTS[this.opcodes[at] as number];
    if (known !== undefined) return known;
    if (this.kindAt(at) !== CALL) return kinds.stackEffect(this.code.instructionAt(this.offsets[at] as number));
    const { params, returns } = this.calleeAt(at);
    return [params.types.length, returns.types.length];
  }

  /** What one instruction puts onto the stack. */
  private result(at: number): Value {
    // What a loop makes of itself can be anything.
    if (this.asked.includes(at) || this.asked.length > DEPTH_MAX) return undefined;
    this.asked.push(at);
    const value = this.made(at, this.opcodes[at] as number);
    this.asked.pop();
    return value;
  }

  private made(at: number, opcode: number): Value {
    switch (KINDS[opcode]) {
      case kinds.TRUTH:
        return literalAt(at, OPCODE_NAMES[opcode] === "LdTrue" ? 1n : 0n);
      case kinds.NUMBER:
        return literalAt(at, this.numberAt(at));
      case kinds.CAST:
      case kinds.SIGNED_CAST:
        return this.value(at);
      case kinds.LOAD:
        return this.local(at, this.operands[at] as number);
      case CALL:
        return this.called(at);
      case kinds.OPERATOR: {
        const operation = arithmetic[OPCODE_NAMES[opcode] as string];
        return operation && computed(operation, this.value(at, 1), this.value(at));
      }
      default:
        return undefined;
    }
  }

  private called(at: number): Value {
    const callee = this.calleeAt(at);
    if (callee.module.name === "error" && callee.module.address === "0x1") return canonicalCode(callee.name, this.args(at));
    const returns = this.summaryOf(callee.module, callee.name)?.returns;
    return returns && inCaller(returns, this.args(at));
  }

  /** What a local variable can be before an instruction: by the one place where it is stored, or back along all ways that lead there. */
  private local(place: number, local: number): Value {
    const given = local < this.paramCount ? parameter(local) : undefined;
    const stored = this.stores[local] as number;
    if (stored !== ANYWHERE) return stored === 0 ? given : this.value(stored - 1);
    let found = NOTHING;
    const seen = new Set<number>();
    const sources: number[] = [];
    const open = [place];
    for (let at = open.pop(); at !== undefined && found !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      // Only where branches lead to it can it come a second time.
      if (this.last[at] !== 0) seen.add(at);
      sources.length = 0;
      this.addSources(at, sources);
      this.steps -= sources.length;
      if (this.steps < 0) return undefined;
      // What nothing leads to begins with nothing that is known.
      if (at === 0) found = join(found, given);
      else if (sources.length === 0) return undefined;
      for (const source of sources) {
        const isOf = this.operands[source] === local;
        if (isOf && this.kindAt(source) === STORE) found = join(found, this.value(source));
        else if (isOf && this.kindAt(source) === BORROW) return undefined;
        else if (!this.endsAt(source)) open.push(source);
      }
    }
    return found === NOTHING ? undefined : found;
  }

  /** Adds the instructions from which it goes on at one. */
  private addSources(place: number, sources: number[]): void {
    if (place > 0 && this.kindAt(place - 1) < BRANCH) sources.push(place - 1);
    for (let source = this.last[place] as number; source > 0; source = this.before[source] as number) sources.push(source - 1);
  }

  private endsAt(at: number): boolean {
    if (this.kindAt(at) !== CALL) return false;
    const { module, name } = this.calleeAt(at);
    return this.summaryOf(module, name)?.neverReturns === true;
  }

  private kindAt(at: number): number {
    return KINDS[this.opcodes[at] as number] as number;
  }

  private calleeAt(at: number): FunctionHandle {
    const row = this.code.rows[OPERAND[this.opcodes[at] as number] as number]?.[this.operands[at] as number];
    return (row as Extract<Reference, { kind: "function" }>).handle;
  }

  /** The number that a literal is; older compilers make a constant of each number with a name. */
  private numberAt(place: number): bigint | undefined {
    const { value, reference } = this.code.instructionAt(this.offsets[place] as number);
    if (reference?.kind !== "constant") return value;
    const { type, bytes } = reference;
    if (!/^u\d+$/.test(type.text) || bytes.length > 32) return undefined;
    return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }
}
