import type { ErrorCodeAbi } from "../../../core/abi/model.ts";
import { abortCodeParts, compilerAbort, findError } from "../../effects/abort-codes.ts";
import { type Fact, type FactKind, factKinds, factText } from "../../effects/fact.ts";
import { listNames, type Witness } from "./finding.ts";

const VERBS: Readonly<Record<FactKind, string>> = {
  aborts: "aborts with",
  moves: "moves",
  writes: "writes",
  reads: "reads",
  emits: "emits",
  checks: "checks by",
  calls: "calls",
  native: "runs the native function",
  touches: "uses the field",
  unknown: "calls",
};

/** `aborts with NOT_FOUND (0x60001); reads 0x1::coin::CoinStore<T0>`: a clause for each kind; null where there are no facts. */
export function clausesOf(facts: readonly Fact[], errors: readonly ErrorCodeAbi[]): string | null {
  if (facts.length === 0) return null;
  const byKind = Map.groupBy(facts, ({ kind }) => kind);
  const clauses = factKinds.flatMap((kind) => {
    const of = (byKind.get(kind) ?? []).filter(({ code }) => kind !== "aborts" || code !== undefined);
    const names = of.map((fact) => (fact.code === undefined ? factText(fact) : abortText(fact.code, errors)));
    return names.length === 0 ? [] : [`${VERBS[kind]} ${listNames([...new Set(names)])}`];
  });
  return clauses.length === 0 ? null : clauses.join("; ");
}

/** `EPAUSED = UNAVAILABLE (0xd000c)`, or less where the code is no category's, or the module has no name for it. */
function abortText(code: bigint, errors: readonly ErrorCodeAbi[]): string {
  const name = compilerAbort(code)?.name ?? findError(errors, code)?.error?.name;
  const category = abortCodeParts(code).category?.name;
  const words = [...(name === undefined ? [] : [name]), ...(category === undefined ? [] : [category])].join(" = ");
  return words === "" ? `the code 0x${code.toString(16)}` : `${words} (0x${code.toString(16)})`;
}

const CLAUSES = new RegExp(`; (?=(?:${Object.values(VERBS).join("|")}) )`);

/** `no longer aborts with A; no longer reads R; calls f`: each clause by itself; empty where neither side has any. */
export function changeText({ before, after }: Witness): string {
  return [
    ...(before === null ? [] : before.split(CLAUSES).map((clause) => `no longer ${clause}`)),
    ...(after === null ? [] : [after]),
  ].join("; ");
}

const OPERATORS =
  "Add +,Sub -,Mul *,Div /,Mod %,BitOr |,BitAnd &,Xor ^,Shl <<,Shr >>,Negate -,And &&,Or ||,Eq ==,Neq !=,Lt <,Ge >=,Gt >,Le <=," +
  [8, 16, 32, 64, 128, 256].map((bits) => `CastU${bits} as u${bits}`).join();
const SIGNS = new Map(OPERATORS.split(",").map((pair) => pair.split(/ (.*)/) as [string, string]));
/** The instruction that writes through a reference, which has no sign. */
const WRITE = "WriteRef";
const COMPARISONS = ["Eq", "Neq", "Lt", "Ge", "Gt", "Le"];
/** Comparisons that compilers make of each other, together with the branch behind them. */
const ALIKE: Readonly<Record<string, string>> = { Neq: "Eq", Ge: "Lt", Le: "Gt" };

const EXCHANGED: Readonly<Record<string, string>> = { Lt: "Gt", Gt: "Lt", Le: "Ge", Ge: "Le" };

/** `Lt 5`: an operator, and the number on its right side where that is known; `use` says what for, where that is known. */
type Operator = { readonly use: string; readonly word: string; readonly operand: string };

function operatorOf(key: string): Operator | undefined {
  const [, use = "", word = "", operand = ""] = /^(assert |return )?(\w+)(?: (-?\d+))?$/.exec(key) ?? [];
  return SIGNS.has(word) || word === WRITE ? { use, word, operand } : undefined;
}

type Replaced = {
  /** Sentences of what was and what is. */
  readonly comparisons: readonly (readonly [was: string, is: string])[];
  readonly constants: readonly (readonly [was: string, is: string])[];
  readonly rest: ReadonlyMap<string, number>;
};

/**
 * Finds comparisons and constants that took the place of others among what a function holds more, or fewer of. Comparisons that differ in
 * how they are turned alone are none. `isAlone`: nothing else differs, so that a literal that went and one that came belong together.
 */
export function replacedOperators(counts: ReadonlyMap<string, number>, isAlone: boolean): Replaced {
  if (counts.size === 0) return { comparisons: [], constants: [], rest: counts };
  const rest = new Map<string, number>();
  for (const [key, times] of counts) {
    const operator = operatorOf(key);
    if (operator?.use !== "" && operator !== undefined) continue;
    const alike = operator === undefined ? key : `${ALIKE[operator.word] ?? operator.word} ${operator.operand}`.trim();
    rest.set(alike, (rest.get(alike) ?? 0) + times);
  }
  for (const [key, times] of rest) if (times === 0) rest.delete(key);
  const comparisons: (readonly [string, string])[] = [];
  const constants: (readonly [string, string])[] = [];
  const turned = [...rest].filter(([key]) => isComparison(key));
  const pair = oneForOne(turned);
  // How each is turned is known best where it is known what for.
  const uses = ["assert ", "return ", ""].map((use) =>
    oneForOne([...counts].filter(([key]) => isComparison(key) && operatorOf(key)?.use === use)),
  );
  const shown = uses.find((found) => found !== undefined) ?? pair;
  if (pair !== undefined && shown !== undefined) {
    const [was, is] = pair.map((key) => operatorOf(key) as Operator) as [Operator, Operator];
    // A number that was computed stands there by itself now: the compiler did that.
    const isSame = was.word === is.word;
    const isFolded = isSame && (was.operand === "") !== (is.operand === "");
    const isOther = !isSame && was.operand === is.operand && (isOrder(was) === isOrder(is) || (isAlone && rest.size === 2));
    if (isOther || (isSame && !isFolded)) (isSame ? constants : comparisons).push(sentencesOf(shown, Math.abs(rest.get(pair[0]) ?? 1)));
    if (isOther || isSame) for (const key of pair) rest.delete(key);
  } else if (turned.length === 0) {
    const known = uses.slice(0, 2).find((found) => found !== undefined);
    if (known !== undefined) comparisons.push(sentencesOf(known, Math.abs(counts.get(known[0]) ?? 1)));
  }
  const literals = oneForOne([...rest].filter(([key]) => !key.endsWith("()") && operatorOf(key) === undefined));
  if (!isAlone || rest.size > 2 || literals === undefined || typeOf(literals[0]) !== typeOf(literals[1]))
    return { comparisons, constants, rest };
  // What one field did, the function still does with another.
  if (typeOf(literals[0]) === "field") return { comparisons, constants, rest };
  (typeOf(literals[0]) === "condition" ? comparisons : constants).push(literals.map(useText) as [string, string]);
  return { comparisons, constants, rest: new Map() };
}

/** Whether it compares by order; two that do are more likely one in place of the other. */
function isOrder({ word }: Operator): boolean {
  return word !== "Eq" && word !== "Neq";
}

function isComparison(key: string): boolean {
  return COMPARISONS.includes(operatorOf(key)?.word ?? "");
}

/** What went and what came, where that is one of each, as often. */
function oneForOne(counts: readonly (readonly [key: string, times: number])[]): readonly [was: string, is: string] | undefined {
  const [[was, lost] = ["", 0], [is, gained] = ["", 0]] = counts.toSorted(([, a], [, b]) => a - b);
  return counts.length === 2 && lost === -gained ? [was, is] : undefined;
}

/** The sides of a comparison are not followed: the opposite may be the same sides, or these exchanged and another sign. */
function sentencesOf([was, is]: readonly [string, string], times: number): [string, string] {
  const [{ word: old }, { word, operand }] = [operatorOf(was) as Operator, operatorOf(is) as Operator];
  const isOpposite = operand === "" && EXCHANGED[word] !== undefined && (ALIKE[old] ?? old) === (ALIKE[word] ?? word);
  const exchanged = isOpposite ? `, or by \`${SIGNS.get(EXCHANGED[word] as string)}\` with its sides exchanged` : "";
  return [compared(was, times), `${compared(is, times)}${exchanged}`];
}

function typeOf(literal: string): string {
  return literal.slice(0, literal.indexOf(" "));
}

/** `uses 5 (u64)`, `makes the variant 0x1::m::E::A`. */
function useText(key: string): string {
  const [, word, variant] = /^(Pack|Test)Variant (.*)$/.exec(key) ?? [];
  const [, condition, isNeeded] = /^condition (.*) (true|false)$/.exec(key) ?? [];
  if (condition !== undefined) return `aborts ${isNeeded === "true" ? "unless" : "where"} ${condition}`;
  if (variant !== undefined) return `${word === "Pack" ? "makes" : "tests for"} the variant ${variant}`;
  return key.startsWith("field ") ? `uses the ${key}` : `uses ${literalText(key)}`;
}

/** `u64 5` as `5 (u64)`; a constant as it is: `vector<u8> b"text"`. */
function literalText(key: string): string {
  const [, type, value] = /^([ui]\d+|bool) (-?\d+|true|false)$/.exec(key) ?? [];
  return type === undefined ? key : `${value} (${type})`;
}

function compared(key: string, times: number): string {
  const { word, operand } = operatorOf(key) as Operator;
  return `compares by \`${`${SIGNS.get(word)} ${operand}`.trim()}\`${timesText(times)}`;
}

function timesText(times: number): string {
  return times === 1 ? "" : times === 2 ? " twice" : ` ${times} times`;
}

/**
 * `computes - 1 once more; uses 5 (u64) once less`; null where nothing differs, or where it may be only that a function of another module
 * was put in place of its call, which cannot be told from one module.
 */
export function countClauses(counts: ReadonlyMap<string, number>): string | null {
  const differing = [...counts];
  const isForeign = ([key]: readonly [string, number]): boolean => key.endsWith("()");
  // Of these none only calls another of its module.
  const libraryOf = (key = "") => /^0x1::(?:bcs|cmp|fixed_point\d+|math\w*|option|string|vector)(?=::)/.exec(key)?.[0];
  const [was, is] = oneForOne(differing)?.map(libraryOf) ?? [];
  const isOther = was !== undefined && was === is;
  for (const sign of isOther ? [] : [1, -1])
    if (differing.some((one) => isForeign(one) && one[1] * sign > 0) && differing.some(([, times]) => times * sign < 0)) return null;
  if (isFolding(differing)) return null;
  const clauses = differing.map(([key, times]) => {
    const operator = operatorOf(key);
    const often = `${Math.abs(times) === 1 ? "once" : `${Math.abs(times)} times`} ${times > 0 ? "more" : "less"}`;
    if (key.endsWith("()")) return `calls ${key.slice(0, -2)} ${often}`;
    if (operator === undefined) return `${useText(key)} ${often}`;
    if (operator.word === WRITE) return `writes through a reference ${often}`;
    if (isComparison(key)) return `${compared(key, 1)} ${often}`;
    return `computes \`${`${SIGNS.get(operator.word)} ${operator.operand}`.trim()}\` ${often}`;
  });
  return clauses.length === 0 ? null : (listNames(clauses) as string);
}

/** Whether arithmetic may have gone because the compiler knows its result: of two literals, or much of it, and only literals came. */
function isFolding(differing: readonly (readonly [key: string, times: number])[]): boolean {
  const lost = differing.filter(([key, times]) => times < 0 && operatorOf(key) !== undefined && !isComparison(key));
  const gained = differing.filter(([, times]) => times > 0);
  if (gained.some(([key]) => operatorOf(key)?.operand === "") || lost.length === 0 || gained.length === 0) return false;
  const isShifted = ([key]: readonly [string, number]): boolean =>
    differing.some(([from, times]) => times < 0 && lost.some(([shift]) => shift === "Shl 16" && shifted(from) === literalText(key)));
  return lost.length > 2 || gained.every(isShifted);
}

/** `7 (u64)` shifted as `0x1::error` does with categories. */
function shifted(literal: string): string | undefined {
  const [, type, value] = /^(u\d+) (\d+)$/.exec(literal) ?? [];
  return value === undefined ? undefined : literalText(`${type} ${BigInt(value) << 16n}`);
}
