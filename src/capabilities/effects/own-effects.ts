import { formatReference, isBranch } from "../../core/move/code/disassemble.ts";
import type { FunctionCode, Instruction } from "../../core/move/code/read-code.ts";
import { OPCODE_NAMES } from "../../core/move/module/opcodes.ts";
import type { Reference } from "../../core/move/module/references.ts";
import { formatModuleId, isSameModule, type ModuleId } from "../../core/move/module-id.ts";
import { formatMoveType } from "../../core/move/types/format-type.ts";
import type { MoveType } from "../../core/move/types/make-type.ts";
import { addFact, type Fact, type FactKind, type Facts, makeFact } from "./fact.ts";
import { followValues, KINDS, type Summary } from "./follow-values.ts";
import { onlyNumber, type Value } from "./value.ts";

/** A call of a function of the same module; `isValue` if only a function value of it is made. */
export type OwnCall = {
  readonly callee: string;
  readonly typeArguments: readonly string[];
  readonly args: readonly Value[];
  readonly isValue: boolean;
  readonly isDead: boolean;
};

/** What a function does by itself. */
export type OwnEffects = Summary & {
  readonly facts: Facts;
  /** Its one result is true or false. */
  readonly answers: boolean;
  /** The codes of its aborts; undefined for any code. */
  readonly aborts: readonly { readonly code: Value; readonly isDead: boolean }[];
  readonly calls: readonly OwnCall[];
  /** How often each literal, operator and function of another module stands in it; abort codes are no literals. */
  readonly counts: ReadonlyMap<string, number>;
};

/** Characters of type arguments that are told apart; longer ones count as `_`. */
export const TYPE_TEXT_MAX = 500;

/** What a call of another module's function is, apart from what stands in that function. */
type ForeignCall = {
  readonly fact?: Fact;
  /** What it counts as among literals and operators. */
  readonly counts: readonly string[];
  /** Its arguments say why, or of which feature: they are nothing that is computed with. */
  readonly takesCodes: boolean;
};

/** Functions of the standard library that compilers put into their callers: the function and the operator that are left of each. */
const INLINED: Readonly<Record<string, readonly [name: string, ...operators: string[]]>> = {
  "0x1::signer::address_of": ["0x1::signer::borrow_address"],
  "0x1::timestamp::now_seconds": ["0x1::timestamp::now_microseconds", "Div 1000000"],
};
/** What functions of `0x1::features` that ask for one feature become; which feature cannot be told then. */
const IS_ENABLED = "0x1::features::is_enabled";
/** Modules of the standard library that only compute: what is called of them counts like operators. */
const COMPUTING = /^0x1::(?:bcs|cmp|fixed_point\d+|math\w*|mem|option|signer|string|vector)::/;

function foreignCall(written: string, types: readonly string[]): ForeignCall {
  if (written.startsWith("0x1::error::")) return { counts: [], takesCodes: true };
  // Compilers make it one instruction, which counts as nothing.
  if (written === "0x1::vector::singleton") return { counts: [], takesCodes: false };
  if (/^0x1::features::\w+_enabled$/.test(written))
    return { fact: makeFact("calls", IS_ENABLED), counts: [`${IS_ENABLED}()`], takesCodes: true };
  if (written === "0x1::event::emit" || written === "0x1::event::emit_event")
    return { fact: makeFact("emits", types.join(", ")), counts: [`${written}()`], takesCodes: false };
  const [name, ...operators] = INLINED[written] ?? [written];
  const counts = [`${name}()`, ...operators];
  if (COMPUTING.test(name)) return { counts, takesCodes: false };
  // What checks the caller's address says so by its name.
  return { fact: makeFact(name.startsWith("0x1::system_addresses::assert_") ? "checks" : "calls", name, types), counts, takesCodes: false };
}

type FunctionReference = Extract<Reference, { kind: "function" }>;
/** What calls of other modules are, by the rows that instructions share. */
export type ForeignCalls = Map<FunctionReference, ForeignCall>;

function foreignCallOf(known: ForeignCalls, reference: FunctionReference): ForeignCall {
  const { module, name } = reference.handle;
  const found = known.get(reference) ?? foreignCall(`${formatModuleId(module)}::${name}`, reference.typeArguments.map(typeText));
  known.set(reference, found);
  return found;
}

const RESOURCES: Readonly<Record<string, FactKind>> = {
  Exists: "reads",
  ImmBorrowGlobal: "reads",
  MutBorrowGlobal: "writes",
  MoveFrom: "moves",
  MoveTo: "moves",
};
const RESOURCE_OF = OPCODE_NAMES.map((name) => RESOURCES[name.replace("Generic", "")]);

/** What computes: of the instructions those that are no branch and no handling of variables and references. */
const IS_OPERATOR = OPCODE_NAMES.map((name, opcode) => /^(?:Negate|WriteRef|CastU\d+)$/.test(name) || KINDS[opcode] === "operator");

/** What a function does by itself; `summaryOf` knows the functions of its module that are known already, `foreign` its calls of others. */
export function ownEffects(
  self: ModuleId,
  code: FunctionCode,
  summaryOf: (name: string) => Summary | undefined,
  foreign: ForeignCalls,
): OwnEffects {
  const facts: Facts = new Map();
  const { instructions } = code;
  const { handle, isNative } = code.definition;
  if (isNative) addFact(facts, makeFact(handle.name.startsWith("dispatchable_") ? "unknown" : "native", handle.name));
  const { args, live, ...found } = followValues(code, ({ module, name }) => (isSameModule(module, self) ? summaryOf(name) : undefined));
  const calls: OwnCall[] = [];
  const aborts: OwnEffects["aborts"][number][] = [];
  const count = new Counter(instructions, live);
  const fields = new Set<Reference>();
  for (let place = 0; place < instructions.length; place++) {
    const { opcode, name, reference } = instructions[place] as Instruction;
    const taken = args[place] as readonly Value[];
    const isDead = live[place] === 0;
    if (reference === undefined) {
      if (name === "Abort" || name === "AbortMsg") {
        aborts.push({ code: taken[0], isDead });
        count.leaveOut(taken[0]);
      } else if (IS_OPERATOR[opcode]) count.addOperator(place, taken[1]);
    } else if (reference.kind === "function" && isSameModule(reference.handle.module, self)) {
      const { name: callee } = reference.handle;
      const isValue = name.startsWith("PackClosure");
      calls.push({ callee, typeArguments: reference.typeArguments.map(typeText), args: isValue ? [] : taken, isValue, isDead });
      for (const param of isValue ? [] : (summaryOf(callee)?.codeParams ?? [])) count.leaveOut(taken[param]);
    } else if (reference.kind === "function") {
      const { fact, counts, takesCodes } = foreignCallOf(foreign, reference);
      if (fact !== undefined) addFact(facts, fact, isDead);
      for (const word of counts) count.add(place, word);
      if (takesCodes) for (const value of taken) count.leaveOut(value);
    } else if (reference.kind === "types") {
      if (name === "CallClosure") addFact(facts, makeFact("unknown", "a function value"), isDead);
    } else if (reference.kind === "field") {
      if (!fields.has(reference)) addFact(facts, makeFact("touches", `${structName(reference)}.${reference.field.name}`), isDead);
      if (!isDead) fields.add(reference);
    } else if (reference.kind === "struct") {
      const kind = RESOURCE_OF[opcode];
      if (kind !== undefined) addFact(facts, makeFact(kind, structName(reference), reference.typeArguments.map(typeText)), isDead);
    }
  }
  const [result, ...more] = handle.returns.types;
  return {
    ...found,
    neverReturns: found.neverReturns && !isNative,
    facts,
    answers: result?.text === "bool" && more.length === 0,
    aborts,
    calls,
    counts: count.sums(),
    codeParams: new Set(aborts.flatMap(({ code }) => code?.terms.flatMap(({ param }) => param ?? []) ?? [])),
  };
}

function structName({ struct }: Pick<Extract<Reference, { kind: "struct" }>, "struct">): string {
  return struct.handle.plain.text;
}

function typeText(type: MoveType): string {
  return type.text.length > TYPE_TEXT_MAX ? "_" : formatMoveType(type);
}

const INVERSE: Readonly<Record<string, string>> = { Eq: "Neq", Neq: "Eq", Lt: "Ge", Ge: "Lt", Le: "Gt", Gt: "Le" };

/** Counts literals, operators and calls of other modules in the code of a function that is not dead. */
class Counter {
  private readonly instructions: readonly Instruction[];
  private readonly live: Uint8Array;
  private readonly counts = new Map<string, number>();
  /** Places of literals that are counted with an operator, or are abort codes. */
  private readonly leftOut = new Set<number>();
  private returning: Uint8Array | undefined;

  constructor(instructions: readonly Instruction[], live: Uint8Array) {
    this.instructions = instructions;
    this.live = live;
  }

  add(place: number, word: string): void {
    if (this.live[place] === 1) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
  }

  /** A literal that is the right side of an operator belongs to it: `- 1`. */
  addOperator(place: number, operand: Value): void {
    if (this.live[place] === 0) return;
    const number = onlyNumber(operand);
    if (number !== undefined) this.leaveOut(operand);
    for (const word of this.operatorWords(place)) this.add(place, number === undefined ? word : `${word} ${number}`);
  }

  leaveOut(value: Value): void {
    for (const place of value?.literals ?? []) this.leftOut.add(place);
  }

  sums(): ReadonlyMap<string, number> {
    for (let place = 0; place < this.instructions.length; place++) {
      const { name, value, reference } = this.instructions[place] as Instruction;
      if ((value === undefined && reference?.kind !== "constant") || this.leftOut.has(place)) continue;
      if (reference?.kind === "constant") this.add(place, formatReference(reference));
      else if (name.startsWith("Ld")) this.add(place, `${name.slice(2).toLowerCase()} ${value}`);
    }
    return this.counts;
  }

  /**
   * An operator as its result is used: compilers turn a condition round together with the branch behind it. With `assert` it is what has
   * to hold, or else the function aborts, with `return` what it returns.
   */
  private operatorWords(place: number): readonly string[] {
    let name = this.instructions[place]?.name ?? "";
    if (INVERSE[name] === undefined) return [name];
    let next = place + 1;
    for (; this.instructions[next]?.name === "Not"; next++) name = INVERSE[name] as string;
    const branch = this.instructions[next];
    if (branch?.name === "Ret") return [name, `return ${name}`];
    if (branch?.name !== "BrTrue" && branch?.name !== "BrFalse") return [name];
    if (branch.name === "BrTrue") name = INVERSE[name] as string;
    this.returning ??= returningPlaces(this.instructions);
    const [ifHolds, ifNot] = [this.returning[next + 1], this.returning[branch.index ?? 0]];
    return ifHolds === ifNot ? [name] : [name, `assert ${ifHolds === 1 ? name : INVERSE[name]}`];
  }
}

/** Instructions behind which the function does not go on at the next one. */
const ENDS: ReadonlySet<string> = new Set(["Branch", "Ret", "Abort", "AbortMsg"]);

/** The instructions from which the function can come to its end without an abort: 1 at their places. */
function returningPlaces(instructions: readonly Instruction[]): Uint8Array {
  const found = new Uint8Array(instructions.length + 1);
  const sources = new Map<number, number[]>();
  const open: number[] = [];
  for (let place = 0; place < instructions.length; place++) {
    const instruction = instructions[place] as Instruction;
    if (instruction.name === "Ret") open.push(place);
    if (!isBranch(instruction)) continue;
    const known = sources.get(instruction.index ?? 0);
    if (known === undefined) sources.set(instruction.index ?? 0, [place]);
    else known.push(place);
  }
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (found[place] === 1) continue;
    found[place] = 1;
    if (place > 0 && !ENDS.has(instructions[place - 1]?.name ?? "")) open.push(place - 1);
    for (const source of sources.get(place) ?? []) open.push(source);
  }
  return found;
}
