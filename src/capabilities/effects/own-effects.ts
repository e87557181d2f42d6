import { formatReference } from "../../core/move/code/disassemble.ts";
import type { FunctionCode } from "../../core/move/code/read-code.ts";
import { OPCODE_NAMES, OPERAND } from "../../core/move/module/opcodes.ts";
import type { Reference } from "../../core/move/module/references.ts";
import { formatModuleId, isSameModule, type ModuleId } from "../../core/move/module-id.ts";
import { formatMoveType } from "../../core/move/types/format-type.ts";
import type { MoveType } from "../../core/move/types/make-type.ts";
import { addFact, type Fact, type FactKind, type Facts, makeFact } from "./fact.ts";
import { FunctionBody, type Summary } from "./function-body.ts";
import { ABORT, CALL, KINDS, OPERATOR } from "./instruction-kinds.ts";
import { onlyNumber, type Term, type Value } from "./value.ts";

/** A call of a function of the same module; `isValue` if only a function value of it is made. */
export type OwnCall = {
  readonly callee: string;
  readonly typeArguments: readonly string[];
  readonly args: readonly Value[];
  readonly isValue: boolean;
  readonly isDead: boolean;
};

/** What a function does by itself, and as facts what all do that it reaches in its module. */
export type Effects = Summary & {
  /** As a set: how often and in which order does not count. Those of callees are added when they are known. */
  readonly facts: Facts;
  readonly codeParams: Set<number>;
  /** The codes of its own aborts; undefined for any code. */
  readonly aborts: readonly { readonly code: Value; readonly isDead: boolean }[];
  /** The events that it emits by itself. */
  readonly emits: ReadonlySet<string>;
  /** Its one result is true or false. */
  readonly answers: boolean;
  readonly calls: readonly OwnCall[];
  /** How often each literal, operator and function of another module stands in it; abort codes are no literals. */
  readonly counts: ReadonlyMap<string, number>;
};

/** Characters of type arguments that are told apart; longer ones count as `_`. */
export const TYPE_TEXT_MAX = 500;

/** What an instruction that names something means, whichever function it stands in. */
type Meaning = {
  readonly fact?: Fact;
  /** What it counts as among literals and operators. */
  readonly counts?: readonly string[];
  /** Its arguments say why, or of which feature: they are nothing that is computed with. */
  readonly takesCodes?: boolean;
  /** The function of the same module that it calls. */
  readonly own?: { readonly callee: string; readonly typeArguments: readonly string[] };
};
/** What is known already of a module of which functions are read. */
export type KnownOfModule = {
  readonly self: ModuleId;
  readonly summaryOf: (name: string) => Summary | undefined;
  /** By opcode and row. */
  readonly meanings: Map<number, Meaning>;
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

function foreignCall(written: string, types: readonly string[]): Meaning {
  if (written.startsWith("0x1::error::")) return { takesCodes: true };
  // Compilers make it one instruction, which counts as nothing.
  if (written === "0x1::vector::singleton") return {};
  if (/^0x1::features::\w+_enabled$/.test(written))
    return { fact: makeFact("calls", IS_ENABLED), counts: [`${IS_ENABLED}()`], takesCodes: true };
  if (written === "0x1::event::emit" || written === "0x1::event::emit_event")
    return { fact: makeFact("emits", types.join(", ")), counts: [`${written}()`] };
  const [name, ...operators] = INLINED[written] ?? [written];
  const counts = [`${name}()`, ...operators];
  if (COMPUTING.test(name)) return { counts };
  // What checks the caller's address says so by its name.
  return { fact: makeFact(name.startsWith("0x1::system_addresses::assert_") ? "checks" : "calls", name, types), counts };
}

const RESOURCES: Readonly<Record<string, FactKind>> = {
  Exists: "reads",
  ImmBorrowGlobal: "reads",
  MutBorrowGlobal: "writes",
  MoveFrom: "moves",
  MoveTo: "moves",
};
const RESOURCE_OF = OPCODE_NAMES.map((name) => RESOURCES[name.replace("Generic", "")]);
const NAMES = OPCODE_NAMES.map((name, opcode) => RESOURCE_OF[opcode] !== undefined || /^(?:Call|PackClosure)|Field/.test(name));
/** What computes: no branch and no handling of variables and references. */
const COMPUTES = OPCODE_NAMES.map((name, opcode) => KINDS[opcode] === OPERATOR || /^(?:Negate|WriteRef|CastU\d+)$/.test(name));
const NUMBERS = OPCODE_NAMES.map((name) => /^Ld[CIU]/.test(name));
const NONE: readonly never[] = [];

function meaningOf(self: ModuleId, opcode: number, reference: Reference | undefined): Meaning {
  if (reference?.kind === "function") {
    const { module, name } = reference.handle;
    const typeArguments = reference.typeArguments.map(typeText);
    if (isSameModule(module, self)) return { own: { callee: name, typeArguments } };
    return foreignCall(`${formatModuleId(module)}::${name}`, typeArguments);
  }
  if (reference?.kind === "field") return { fact: makeFact("touches", `${structName(reference)}.${reference.field.name}`) };
  const kind = RESOURCE_OF[opcode];
  if (reference?.kind === "struct" && kind !== undefined)
    return { fact: makeFact(kind, structName(reference), reference.typeArguments.map(typeText)) };
  return OPCODE_NAMES[opcode] === "CallClosure" ? { fact: makeFact("unknown", "a function value") } : {};
}

const NO_PARAMS: ReadonlySet<number> = new Set();
/** Functions are read one at a time, each when those that it calls are known. */
const body = new FunctionBody();

/** An abort whose code is not known; one whose code is a parameter's is known by that. */
export const ANY_CODE = "?";

/** Adds an abort with a number, with one of the function's parameters, or with any code. */
export function addAbort({ facts, codeParams }: Pick<Effects, "facts" | "codeParams">, term: Term | undefined, isDead: boolean): void {
  const code = term && `0x${term.plus.toString(16)}`;
  if (term?.param !== undefined) codeParams.add(term.param);
  addFact(
    facts,
    makeFact("aborts", code === undefined ? ANY_CODE : term?.param === undefined ? code : `arg${term.param} + ${code}`),
    isDead,
  );
}

/** What a function does by itself. */
export function ownEffects(code: FunctionCode, known: KnownOfModule): Effects {
  const { handle, isNative } = code.definition;
  const found = body.open(code, ({ module, name }) => (isSameModule(module, known.self) ? known.summaryOf(name) : undefined));
  const gathered = new Gathering(known);
  if (isNative) addFact(gathered.facts, makeFact(handle.name.startsWith("dispatchable_") ? "unknown" : "native", handle.name));
  for (let place = 0; place < code.length; place++) gathered.add(place, body.opcodes[place] as number);
  const { facts, emits, aborts, calls, codeParams } = gathered;
  for (const { code, isDead } of aborts) for (const term of code?.terms ?? [undefined]) addAbort(gathered, term, isDead);
  const [result, ...more] = handle.returns.types;
  const answers = result?.text === "bool" && more.length === 0;
  const neverReturns = found.neverReturns && !isNative;
  return { ...found, neverReturns, facts, emits, answers, aborts, calls, counts: gathered.sums(), codeParams };
}

function structName({ struct }: Pick<Extract<Reference, { kind: "struct" }>, "struct">): string {
  return struct.handle.plain.text;
}

function typeText(type: MoveType): string {
  return type.text.length > TYPE_TEXT_MAX ? "_" : formatMoveType(type);
}

const INVERSE: Readonly<Record<string, string>> = { Eq: "Neq", Neq: "Eq", Lt: "Ge", Ge: "Lt", Le: "Gt", Gt: "Le" };

/** What the instructions of `body` do; literals, operators and calls of other modules count where they are not dead. */
class Gathering {
  readonly facts: Facts = new Map();
  readonly emits = new Set<string>();
  readonly calls: OwnCall[] = [];
  readonly codeParams = new Set<number>();
  readonly aborts: Effects["aborts"][number][] = [];
  /** Places of literals, and those of them that are counted with an operator, or are abort codes. */
  private readonly literals: number[] = [];
  private readonly leftOut = new Set<number>();
  private readonly counts = new Map<string, number>();
  private returning: Uint8Array | undefined;
  private readonly module: KnownOfModule;

  constructor(module: KnownOfModule) {
    this.module = module;
  }

  add(place: number, opcode: number): void {
    if (NUMBERS[opcode] === true) this.literals.push(place);
    else if (COMPUTES[opcode] === true) this.addOperator(place, opcode);
    else if (KINDS[opcode] === ABORT) this.addAbort(place, OPCODE_NAMES[opcode] === "Abort" ? 0 : 1);
    else if (NAMES[opcode] === true) this.addNamed(place, opcode);
  }

  /** `below`: a message can stand above the code. */
  private addAbort(place: number, below: number): void {
    const code = body.value(place, below);
    this.aborts.push({ code, isDead: body.live[place] === 0 });
    this.leaveOut(code);
  }

  private addNamed(place: number, opcode: number): void {
    const { fact, counts = NONE, takesCodes, own } = this.meaningOf(opcode, body.operands[place] as number);
    const isDead = body.live[place] === 0;
    if (fact !== undefined) addFact(this.facts, fact, isDead);
    if (fact?.kind === "emits") this.emits.add(fact.name);
    for (const word of counts) this.count(place, word);
    const isValue = KINDS[opcode] !== CALL;
    if (takesCodes === true && !isValue) for (const value of body.args(place)) this.leaveOut(value);
    if (own === undefined) return;
    const codes = (!isValue && this.module.summaryOf(own.callee)?.codeParams) || NO_PARAMS;
    // Nothing but codes is asked of arguments.
    const args = codes.size === 0 ? NONE : body.args(place);
    this.calls.push({ ...own, args, isValue, isDead });
    for (const param of codes) this.leaveOut(args[param]);
  }

  private meaningOf(opcode: number, row: number): Meaning {
    const key = opcode * 0x10000 + row;
    const { self, meanings } = this.module;
    const known = meanings.get(key) ?? meaningOf(self, opcode, body.code.rows[OPERAND[opcode] as number]?.[row]);
    meanings.set(key, known);
    return known;
  }

  private count(place: number, word: string): void {
    if (body.live[place] === 1) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
  }

  /** A literal that is the right side of an operator belongs to it: `- 1`. */
  private addOperator(place: number, opcode: number): void {
    if (body.live[place] === 0) return;
    const operand = KINDS[opcode] === OPERATOR ? body.value(place) : undefined;
    const number = onlyNumber(operand);
    if (number !== undefined) this.leaveOut(operand);
    for (const word of this.operatorWords(place)) this.count(place, number === undefined ? word : `${word} ${number}`);
  }

  private leaveOut(value: Value): void {
    for (const place of value?.literals ?? NONE) this.leftOut.add(place);
  }

  sums(): ReadonlyMap<string, number> {
    for (const place of this.literals) {
      if (this.leftOut.has(place) || body.live[place] === 0) continue;
      const { name, value, reference } = body.code.instructionAt(body.offsets[place] as number);
      this.count(place, reference?.kind === "constant" ? formatReference(reference) : `${name.slice(2).toLowerCase()} ${value}`);
    }
    return this.counts;
  }

  /**
   * An operator as its result is used: compilers turn a condition round together with the branch behind it. With `assert` it is what has
   * to hold, or else the function aborts, with `return` what it returns.
   */
  private operatorWords(place: number): readonly string[] {
    const nameAt = (at: number): string => (at < body.code.length ? (OPCODE_NAMES[body.opcodes[at] as number] as string) : "");
    let name = nameAt(place);
    if (INVERSE[name] === undefined) return [name];
    let next = place + 1;
    for (; nameAt(next) === "Not"; next++) name = INVERSE[name] as string;
    const branch = nameAt(next);
    if (branch === "Ret") return [name, `return ${name}`];
    if (branch !== "BrTrue" && branch !== "BrFalse") return [name];
    if (branch === "BrTrue") name = INVERSE[name] as string;
    this.returning ??= body.returningPlaces();
    const [ifHolds, ifNot] = [this.returning[next + 1], this.returning[body.operands[next] as number]];
    return ifHolds === ifNot ? [name] : [name, `assert ${ifHolds === 1 ? name : INVERSE[name]}`];
  }
}
