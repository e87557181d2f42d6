import { formatReference } from "../../core/move/code/disassemble.ts";
import type { FunctionCode } from "../../core/move/code/read-code.ts";
import { OPCODE_NAMES, OPERAND } from "../../core/move/module/opcodes.ts";
import type { Reference } from "../../core/move/module/references.ts";
import { formatModuleId, isSameModule, type ModuleId } from "../../core/move/module-id.ts";
import { formatMoveType } from "../../core/move/types/format-type.ts";
import type { MoveType } from "../../core/move/types/make-type.ts";
import { addFact, type Fact, type FactKind, type Facts, makeFact } from "./fact.ts";
import { type Summary, ValueFollower } from "./follow-values.ts";
import { ABORT, BRANCH, CALL, CONDITION, END, KINDS, OPERATOR } from "./instruction-kinds.ts";
import { onlyNumber, type Value } from "./value.ts";

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
  /** The events that it emits by itself. */
  readonly emits: ReadonlySet<string>;
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

// What an instruction is to what its function does.
const [NOTHING, ABORTS, OPERATES, LITERAL, NAMES] = [0, 1, 2, 3, 4];
const ROLES = Uint8Array.from(OPCODE_NAMES, (name, opcode) => {
  if (KINDS[opcode] === ABORT) return ABORTS;
  // What computes: no branch and no handling of variables and references.
  if (KINDS[opcode] === OPERATOR || /^(?:Negate|WriteRef|CastU\d+)$/.test(name)) return OPERATES;
  if (/^Ld[CIU]/.test(name)) return LITERAL;
  return RESOURCE_OF[opcode] !== undefined || /^(?:Call|PackClosure)|Field/.test(name) ? NAMES : NOTHING;
});

const NONE: readonly never[] = [];
/** Functions are read one at a time, each when those that it calls are known. */
const body = new ValueFollower();

/** What a function does by itself. */
export function ownEffects(code: FunctionCode, known: KnownOfModule): Effects {
  const { handle, isNative } = code.definition;
  const found = body.follow(code, ({ module, name }) => (isSameModule(module, known.self) ? known.summaryOf(name) : undefined));
  const gathered = new Gathering(known);
  if (isNative) addFact(gathered.facts, makeFact(handle.name.startsWith("dispatchable_") ? "unknown" : "native", handle.name));
  for (let place = 0; place < code.length; place++) {
    const role = ROLES[body.opcodes[place] as number];
    if (role === LITERAL) gathered.literals.push(place);
    else if (role === OPERATES) gathered.addOperator(place);
    else if (role === ABORTS) gathered.addAbort(place);
    else if (role === NAMES) gathered.addNamed(place);
  }
  const [result, ...more] = handle.returns.types;
  return {
    ...found,
    neverReturns: found.neverReturns && !isNative,
    facts: gathered.facts,
    emits: gathered.emits,
    answers: result?.text === "bool" && more.length === 0,
    aborts: gathered.aborts,
    calls: gathered.calls,
    counts: gathered.sums(),
    codeParams: gathered.codeParams,
  };
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
  readonly aborts: Effects["aborts"][number][] = [];
  readonly calls: OwnCall[] = [];
  readonly codeParams = new Set<number>();
  /** Places of literals, and those of them that are counted with an operator, or are abort codes. */
  readonly literals: number[] = [];
  private readonly leftOut = new Set<number>();
  private readonly counts = new Map<string, number>();
  private returning: Uint8Array | undefined;
  private readonly module: KnownOfModule;

  constructor(module: KnownOfModule) {
    this.module = module;
  }

  addAbort(place: number): void {
    const code = body.value(body.operand[place] as number);
    this.aborts.push({ code, isDead: body.live[place] === 0 });
    this.leaveOut(code);
    for (const { param } of code?.terms ?? NONE) if (param !== undefined) this.codeParams.add(param);
  }

  addNamed(place: number): void {
    const opcode = body.opcodes[place] as number;
    const { fact, counts = NONE, takesCodes, own } = this.meaningOf(opcode, body.operands[place] as number);
    const isDead = body.live[place] === 0;
    if (fact !== undefined) addFact(this.facts, fact, isDead);
    if (fact?.kind === "emits") this.emits.add(fact.name);
    for (const word of counts) this.add(place, word);
    if (takesCodes !== true && own === undefined) return;
    const args = body.valuesOf(body.args.get(place) ?? NONE);
    if (takesCodes === true) for (const value of args) this.leaveOut(value);
    if (own === undefined) return;
    const isValue = KINDS[opcode] !== CALL;
    this.calls.push({ ...own, args, isValue, isDead });
    if (!isValue) for (const param of this.module.summaryOf(own.callee)?.codeParams ?? NONE) this.leaveOut(args[param]);
  }

  private meaningOf(opcode: number, row: number): Meaning {
    const key = opcode * 0x10000 + row;
    const { self, meanings } = this.module;
    const known = meanings.get(key) ?? meaningOf(self, opcode, body.code.rows[OPERAND[opcode] as number]?.[row]);
    meanings.set(key, known);
    return known;
  }

  private add(place: number, word: string): void {
    if (body.live[place] === 1) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
  }

  /** A literal that is the right side of an operator belongs to it: `- 1`. */
  addOperator(place: number): void {
    if (body.live[place] === 0) return;
    const operand = body.value(body.operand[place] as number);
    const number = onlyNumber(operand);
    if (number !== undefined) this.leaveOut(operand);
    for (const word of this.operatorWords(place)) this.add(place, number === undefined ? word : `${word} ${number}`);
  }

  private leaveOut(value: Value): void {
    for (const place of value?.literals ?? NONE) this.leftOut.add(place);
  }

  sums(): ReadonlyMap<string, number> {
    for (const place of this.literals) {
      if (this.leftOut.has(place) || body.live[place] === 0) continue;
      const { name, value, reference } = body.code.instructionAt(body.offsets[place] as number);
      this.add(place, reference?.kind === "constant" ? formatReference(reference) : `${name.slice(2).toLowerCase()} ${value}`);
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
    this.returning ??= returningPlaces(body.code.length);
    const [ifHolds, ifNot] = [this.returning[next + 1], this.returning[body.operands[next] as number]];
    return ifHolds === ifNot ? [name] : [name, `assert ${ifHolds === 1 ? name : INVERSE[name]}`];
  }
}

/** The instructions from which the function can come to its end without an abort: 1 at their places. */
function returningPlaces(length: number): Uint8Array {
  const found = new Uint8Array(length + 1);
  // For each place the last branch that goes there, counted from 1, and for each branch the one before it that goes to the same place.
  const [last, before] = [new Uint16Array(length), new Uint16Array(length + 1)];
  const open: number[] = [];
  const kindAt = (place: number): number => KINDS[body.opcodes[place] as number] as number;
  for (let place = 0; place < length; place++) {
    const kind = kindAt(place);
    if (kind === END) open.push(place);
    if (kind !== BRANCH && kind !== CONDITION) continue;
    const to = body.operands[place] as number;
    before[place + 1] = last[to] as number;
    last[to] = place + 1;
  }
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (found[place] === 1) continue;
    found[place] = 1;
    // Behind those of the last kinds the function does not go on at the next one.
    if (place > 0 && kindAt(place - 1) <= CONDITION) open.push(place - 1);
    for (let source = last[place] as number; source > 0; source = before[source] as number) open.push(source - 1);
  }
  return found;
}
