import { formatReference } from "../../core/move/code/disassemble.ts";
import type { FunctionCode } from "../../core/move/code/read-code.ts";
import type { FunctionHandle } from "../../core/move/module/handles.ts";
import { OPCODE_NAMES, OPERAND } from "../../core/move/module/opcodes.ts";
import type { Reference } from "../../core/move/module/references.ts";
import { formatModuleId, isSameModule, type ModuleId } from "../../core/move/module-id.ts";
import { formatMoveType } from "../../core/move/types/format-type.ts";
import type { MoveType } from "../../core/move/types/make-type.ts";
import { abortFact, addFact, type Fact, type FactKind, type Facts, makeFact } from "./fact.ts";
import { FunctionBody, type Summary, TAKEN } from "./function-body.ts";
import {
  ABORT,
  BASE_NAMES,
  CALL,
  CAST,
  COMPUTING,
  CONDITION,
  KINDS,
  NAMING,
  NUMBER,
  OPERATOR,
  TRUTH,
  VARIANT,
} from "./instruction-kinds.ts";
import { onlyNumber, type Term, type Value } from "./value.ts";

/** A call of a function of the same module; `isValue` if only a function value of it is made. */
export type OwnCall = {
  readonly callee: string;
  readonly typeArguments: readonly string[];
  /** Of a callee that aborts with some of its parameters. */
  readonly args: readonly Value[];
  readonly isValue: boolean;
  readonly isDead: boolean;
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
  readonly summaryOf: (name: string) => Effects | undefined;
  /** By opcode and row. */
  readonly meanings: Map<number, Meaning>;
};

/** Functions of the standard library that compilers put into their callers: the function and the operator that are left of each. */
const INLINED: ReadonlyMap<string, readonly [name: string, ...operators: string[]]> = new Map([
  ["0x1::signer::address_of", ["0x1::signer::borrow_address"]],
  ["0x1::timestamp::now_seconds", ["0x1::timestamp::now_microseconds", "Div 1000000"]],
]);
/** What functions of `0x1::features` that ask for one feature become; which feature cannot be told then. */
const IS_ENABLED = "0x1::features::is_enabled";
/** Modules of the standard library that only compute: what is called of them counts like operators. */
const COMPUTING_MODULES = /^(?:bcs|cmp|fixed_point\d+|math\w*|mem|option|signer|string|vector)$/;

function foreignCall({ module, name: called }: FunctionHandle, types: readonly string[]): Meaning {
  const library = module.address === "0x1" ? module.name : "";
  if (library === "error") return { takesCodes: true };
  // Compilers make it one instruction, which counts as nothing.
  if (library === "vector" && called === "singleton") return {};
  if (library === "features" && called.endsWith("_enabled"))
    return { fact: makeFact("calls", IS_ENABLED), counts: [`${IS_ENABLED}()`], takesCodes: true };
  const written = `${formatModuleId(module)}::${called}`;
  if (library === "event" && (called === "emit" || called === "emit_event"))
    return { fact: makeFact("emits", types.join(", ")), counts: [`${written}()`] };
  const [name, ...operators] = INLINED.get(written) ?? [written];
  const counts = [`${name}()`, ...operators];
  if (COMPUTING_MODULES.test(library)) return { counts };
  // What checks the caller's address says so by its name.
  return { fact: makeFact(library === "system_addresses" && called.startsWith("assert_") ? "checks" : "calls", name, types), counts };
}

const RESOURCES: Readonly<Record<string, FactKind>> = {
  Exists: "reads",
  ImmBorrowGlobal: "reads",
  MutBorrowGlobal: "writes",
  MoveFrom: "moves",
  MoveTo: "moves",
};

function meaningOf(self: ModuleId, opcode: number, reference: Reference | undefined): Meaning {
  switch (reference?.kind) {
    case "function": {
      const typeArguments = reference.typeArguments.map(typeText);
      if (!isSameModule(reference.handle.module, self)) return foreignCall(reference.handle, typeArguments);
      return { own: { callee: reference.handle.name, typeArguments } };
    }
    case "field": {
      const name = `${reference.struct.handle.plain.text}.${reference.field.name}`;
      return { fact: makeFact("touches", name), counts: [`field ${name}`] };
    }
    case "struct": {
      const kind = RESOURCES[BASE_NAMES[opcode] as string] as FactKind;
      return { fact: makeFact(kind, reference.struct.handle.plain.text, reference.typeArguments.map(typeText)) };
    }
    default:
      return { fact: makeFact("unknown", "a function value") };
  }
}

function typeText(type: MoveType): string {
  return type.text.length > TYPE_TEXT_MAX ? "_" : formatMoveType(type);
}

/** Functions are read one at a time, each when those that it calls are known. */
const body = new FunctionBody();
const NONE: readonly never[] = [];
const NO_PARAMS: ReadonlySet<number> = new Set();
const INVERSE: Readonly<Record<string, string>> = { Eq: "Neq", Neq: "Eq", Lt: "Ge", Ge: "Lt", Le: "Gt", Gt: "Le" };

/** What a function does by itself, and as facts what all do that it reaches in its module: those are added when they are known. */
export class Effects implements Summary {
  readonly returns: Value;
  readonly neverReturns: boolean;
  codeParams = NO_PARAMS;
  readonly facts: Facts = new Map();
  /** The codes of its own aborts; undefined for any code. */
  readonly aborts: { readonly code: Value; readonly isDead: boolean }[] = [];
  /** The events that it emits by itself. */
  readonly emits = new Set<string>();
  readonly calls: OwnCall[] = [];
  /**
   * How often each literal, operator and function of another module stands in it where something leads to; abort codes, and what is
   * counted with an operator, are no literals.
   */
  readonly counts = new Map<string, number>();

  constructor(code: FunctionCode, module: KnownOfModule) {
    const { handle, isNative } = code.definition;
    const summaryOf = (of: ModuleId, name: string) => (isSameModule(of, module.self) ? module.summaryOf(name) : undefined);
    const { returns, neverReturns } = body.open(code, summaryOf);
    this.returns = returns;
    this.neverReturns = neverReturns && !isNative;
    if (isNative) addFact(this.facts, makeFact(handle.name.startsWith("dispatchable_") ? "unknown" : "native", handle.name));
    for (let place = 0; place < code.length; place++) {
      const opcode = body.opcodes[place] as number;
      const kind = KINDS[opcode];
      if (kind === NAMING || kind === CALL) this.addNamed(place, opcode, module);
      else if (kind === OPERATOR && body.live[place] === 1) this.countOperator(place, OPCODE_NAMES[opcode] as string);
      else if ((kind === COMPUTING || kind === CAST) && body.live[place] === 1) this.count(OPCODE_NAMES[opcode] as string);
      else if (kind === TRUTH && body.live[place] === 1) this.count(`bool ${OPCODE_NAMES[opcode] === "LdTrue"}`);
      else if (kind === VARIANT && body.live[place] === 1) this.count(`${BASE_NAMES[opcode]} ${namedAt(place)}`);
      else if (kind === CONDITION && body.live[place] === 1) this.countCondition(place);
      // A message can stand above the code.
      else if (kind === ABORT)
        this.aborts.push({ code: taken(body.value(place, OPCODE_NAMES[opcode] === "Abort" ? 0 : 1)), isDead: body.live[place] === 0 });
    }
    for (const { code, isDead } of this.aborts) for (const term of code?.terms ?? [undefined]) this.addAbort(term, isDead);
    for (let place = 0; place < code.length; place++)
      if (KINDS[body.opcodes[place] as number] === NUMBER && body.live[place] === 1) this.count(literalAt(place));
  }

  /** Adds an abort; one whose code is a parameter's is known by that. */
  addAbort(term: Term | undefined, isDead: boolean): void {
    if (term?.param !== undefined && !this.codeParams.has(term.param)) this.codeParams = new Set([...this.codeParams, term.param]);
    addFact(this.facts, abortFact(term), isDead);
  }

  private addNamed(place: number, opcode: number, module: KnownOfModule): void {
    const key = opcode * 0x10000 + (body.operands[place] as number);
    let meaning = module.meanings.get(key);
    if (meaning === undefined) {
      meaning = meaningOf(module.self, opcode, body.code.rows[OPERAND[opcode] as number]?.[body.operands[place] as number]);
      module.meanings.set(key, meaning);
    }
    const { fact, counts = NONE, takesCodes, own } = meaning;
    const [isDead, isValue] = [body.live[place] === 0, KINDS[opcode] !== CALL];
    if (fact !== undefined) addFact(this.facts, fact, isDead);
    if (fact?.kind === "emits") this.emits.add(fact.name);
    if (!isDead) for (const word of counts) this.count(word);
    if (takesCodes === true && !isValue) body.args(place).forEach(taken);
    if (own === undefined) return;
    const codes = (!isValue && module.summaryOf(own.callee)?.codeParams) || NO_PARAMS;
    // Nothing but codes is asked of arguments.
    const args = codes.size === 0 ? NONE : body.args(place);
    this.calls.push({ callee: own.callee, typeArguments: own.typeArguments, args, isValue, isDead });
    for (const param of codes) taken(args[param]);
  }

  /** Whether something that is no comparison has to hold, or must not, or else the function aborts. */
  private countCondition(place: number): void {
    let [at, isHeld] = [place - 1, nameAt(place) === "BrTrue"];
    for (; nameAt(at) === "Not"; at--) isHeld = !isHeld;
    const [ifTaken, ifNot] = [body.canReturn(body.operands[place] as number), body.canReturn(place + 1)];
    if (ifTaken !== ifNot && INVERSE[nameAt(at)] === undefined) this.count(`condition ${conditionAt(at)} ${isHeld === ifTaken}`);
  }

  private count(word: string): void {
    this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
  }

  /**
   * An operator as its result is used: compilers turn a condition round together with the branch behind it. With `assert` it is what has to
   * hold, or else the function aborts, with `return` what it returns. A literal that is its right side belongs to it: `- 1`.
   */
  private countOperator(place: number, operator: string): void {
    const operand = body.value(place);
    const number = onlyNumber(operand);
    if (number !== undefined) taken(operand);
    const end = number === undefined ? "" : ` ${number}`;
    let [name, next] = [operator, place + 1];
    const inverse = (): string => INVERSE[name] as string;
    if (INVERSE[name] === undefined) {
      this.count(name + end);
      return;
    }
    for (; nameAt(next) === "Not"; next++) name = inverse();
    const branch = nameAt(next);
    if (branch === "BrTrue") name = inverse();
    this.count(name + end);
    if (branch === "Ret") this.count(`return ${name}${end}`);
    if (branch !== "BrTrue" && branch !== "BrFalse") return;
    const [ifHolds, ifNot] = [body.canReturn(next + 1), body.canReturn(body.operands[next] as number)];
    if (ifHolds !== ifNot) this.count(`assert ${ifHolds ? name : inverse()}${end}`);
  }
}

/** Marks the literals of a value: they are no literals by themselves. */
function taken(value: Value): Value {
  for (const place of value?.literals ?? NONE) if (body.live[place] === 1) body.live[place] = TAKEN;
  return value;
}

/** What is true or false there, in words. */
function conditionAt(place: number): string {
  const name = BASE_NAMES[body.opcodes[place] as number];
  if (name === "Call") return `${namedAt(place)} holds`;
  return name === "Exists" ? `${namedAt(place)} exists` : name === "TestVariant" ? `it is ${namedAt(place)}` : "a condition holds";
}

/** What an instruction names, without type arguments. */
function namedAt(place: number): string {
  const row = body.code.rows[OPERAND[body.opcodes[place] as number] as number]?.[body.operands[place] as number];
  if (row?.kind === "function") return `${formatModuleId(row.handle.module)}::${row.handle.name}`;
  const struct = row !== undefined && "struct" in row ? row.struct.handle.plain.text : "";
  return row?.kind === "variant" ? `${struct}::${row.variant.name}` : struct;
}

function nameAt(place: number): string {
  return place >= 0 && place < body.code.length ? (OPCODE_NAMES[body.opcodes[place] as number] as string) : "";
}

function literalAt(place: number): string {
  const { name, value, reference } = body.code.instructionAt(body.offsets[place] as number);
  return reference?.kind === "constant" ? formatReference(reference) : `${name.slice(2).toLowerCase()} ${value}`;
}
