import { formatReference } from "../../move/code/format-instruction.ts";
import type { FunctionCode, Instruction } from "../../move/code/read-code.ts";
import type { Reference } from "../../move/code/references.ts";
import { OPCODE_NAMES } from "../../move/module/opcodes.ts";
import { formatModuleId, isSameModule, type ModuleId } from "../../move/module-id.ts";
import { formatMoveType } from "../../move/types/format-type.ts";
import type { MoveType } from "../../move/types/types.ts";
import { addFact, type Fact, type FactKind, type Facts } from "./fact.ts";
import { followValues, type Summary } from "./follow-values.ts";
import { isOperator, operatorWords, returningPlaces } from "./operators.ts";
import { onlyNumber, type Value } from "./value.ts";

/** What a call of another module's function is, apart from what stands in that function. */
export type ForeignCall = {
  readonly fact?: readonly [kind: FactKind, name: string, types: readonly string[]];
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
    return { fact: ["calls", IS_ENABLED, []], counts: [`${IS_ENABLED}()`], takesCodes: true };
  if (written === "0x1::event::emit" || written === "0x1::event::emit_event")
    return { fact: ["emits", types.join(", "), []], counts: [`${written}()`], takesCodes: false };
  const [name, ...operators] = INLINED[written] ?? [written];
  const counts = [`${name}()`, ...operators];
  if (COMPUTING.test(name)) return { counts, takesCodes: false };
  // What checks the caller's address says so by its name.
  return { fact: [name.startsWith("0x1::system_addresses::assert_") ? "checks" : "calls", name, types], counts, takesCodes: false };
}

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

/** An operator, a literal or a call of another module, at its place. */
type Counted = readonly [place: number, word: string, operand: Value];

const RESOURCES: Readonly<Record<string, FactKind>> = {
  Exists: "reads",
  ImmBorrowGlobal: "reads",
  MutBorrowGlobal: "writes",
  MoveFrom: "moves",
  MoveTo: "moves",
};
const RESOURCE_OF = OPCODE_NAMES.map((name) => RESOURCES[name.replace("Generic", "")]);

/** What a function does by itself; `summaryOf` knows the functions of its module that are known already. */
export function ownEffects(self: ModuleId, code: FunctionCode, summaryOf: (name: string) => Summary | undefined): OwnEffects {
  const facts = new Map<string, Fact>();
  const { handle, isNative } = code.definition;
  const [result, ...more] = handle.returns.types;
  const answers = result?.text === "bool" && more.length === 0;
  if (isNative) {
    addFact(facts, handle.name.startsWith("dispatchable_") ? "unknown" : "native", handle.name, [], false);
    return { facts, answers, aborts: [], calls: [], counts: new Map(), returns: undefined, neverReturns: false, codeParams: new Set() };
  }
  const { instructions } = code;
  const { args, live, returns, neverReturns } = followValues(code, ({ module, name }) =>
    isSameModule(module, self) ? summaryOf(name) : undefined,
  );
  const calls: OwnCall[] = [];
  const aborts: OwnEffects["aborts"][number][] = [];
  /** Literals that say why something aborts, not what is computed. */
  const codes = new Set<number>();
  const asCodes = (value: Value): void => {
    for (const place of value?.literals ?? []) codes.add(place);
  };
  const counted: Counted[] = [];
  let returning: ReadonlySet<number> | undefined;
  for (const [place, { opcode, name, reference }] of instructions.entries()) {
    const taken = args[place] as readonly Value[];
    const isDead = live[place] === 0;
    if (reference === undefined) {
      if (name === "Abort" || name === "AbortMsg") {
        aborts.push({ code: taken[0], isDead });
        asCodes(taken[0]);
      } else if (isOperator(opcode)) {
        returning ??= returningPlaces(instructions);
        for (const word of operatorWords(instructions, place, returning)) counted.push([place, word, taken[1]]);
      }
    } else if (reference.kind === "function") {
      const { module, name: callee } = reference.handle;
      const typeArguments = reference.typeArguments.map(typeText);
      if (isSameModule(module, self)) {
        const isValue = name.startsWith("PackClosure");
        calls.push({ callee, typeArguments, args: isValue ? [] : taken, isValue, isDead });
        for (const param of isValue ? [] : (summaryOf(callee)?.codeParams ?? [])) asCodes(taken[param]);
      } else {
        const found = foreignCall(`${formatModuleId(module)}::${callee}`, typeArguments);
        if (found.fact !== undefined) addFact(facts, ...found.fact, isDead);
        for (const word of found.counts) counted.push([place, word, undefined]);
        if (found.takesCodes) for (const value of taken) asCodes(value);
      }
    } else if (reference.kind === "types") {
      if (name === "CallClosure") addFact(facts, "unknown", "a function value", [], isDead);
    } else if (reference.kind === "field") addFact(facts, "touches", `${structName(reference)}.${reference.field.name}`, [], isDead);
    else if (reference.kind === "struct") {
      const kind = RESOURCE_OF[opcode];
      if (kind !== undefined) addFact(facts, kind, structName(reference), reference.typeArguments.map(typeText), isDead);
    }
  }
  const codeParams = new Set(aborts.flatMap(({ code }) => code?.terms.flatMap(({ param }) => param ?? []) ?? []));
  return { facts, answers, aborts, calls, counts: countsOf(instructions, live, codes, counted), returns, neverReturns, codeParams };
}

function structName({ struct }: Pick<Extract<Reference, { kind: "struct" }>, "struct">): string {
  return struct.handle.plain.text;
}

function typeText(type: MoveType): string {
  return type.text.length > TYPE_TEXT_MAX ? "_" : formatMoveType(type);
}

/** Literals and operators; a literal that is the right side of an operator belongs to it: `- 1`. */
function countsOf(
  instructions: readonly Instruction[],
  live: Uint8Array,
  codes: ReadonlySet<number>,
  counted: readonly Counted[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const taken = new Set(codes);
  for (const [at, word, operand] of counted) {
    if (live[at] === 0) continue;
    const number = onlyNumber(operand);
    for (const place of number === undefined ? [] : (operand?.literals ?? [])) taken.add(place);
    count(number === undefined ? word : `${word} ${number}`);
  }
  for (const [place, { name, value, reference }] of instructions.entries()) {
    if ((value === undefined && reference?.kind !== "constant") || live[place] === 0 || taken.has(place)) continue;
    if (reference?.kind === "constant") count(formatReference(reference));
    else if (name.startsWith("Ld")) count(`${name.slice(2).toLowerCase()} ${value}`);
  }
  return counts;
}
