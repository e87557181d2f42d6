import type { Term } from "./value.ts";

/** What a function can do, by kind; `unknown`: a function value, or a hook that dispatches to any module. */
export const factKinds = ["aborts", "moves", "writes", "reads", "emits", "checks", "calls", "native", "touches", "unknown"] as const;
export type FactKind = (typeof factKinds)[number];

/**
 * One thing that a function does: a resource with its type arguments, an event, a call of another module, an abort. `isDead` if it stands
 * only in code that nothing leads to: it is not done, and did not go either.
 */
export type Fact = {
  readonly kind: FactKind;
  /** Of an abort `0x5`, `arg1 + 0x5`, or `?` for any code. */
  readonly name: string;
  readonly types: readonly string[];
  /** Of an abort: its code, if that is known; and by which numbers or parameters. */
  readonly code: bigint | undefined;
  readonly term: Term | undefined;
  readonly isDead: boolean;
  /** Of kind, name and types. */
  readonly key: string;
};

/** By their keys; as a set: how often and in which order does not count. */
export type Facts = Map<string, Fact>;

/** The name of an abort of which the code is not known. */
export const ANY_CODE = "?";
const NO_TYPES: readonly string[] = [];

export function makeFact(kind: FactKind, name: string, types = NO_TYPES, term?: Term): Fact {
  const key = types.length === 0 ? `${kind} ${name}` : `${kind} ${name}<${types.join(", ")}>`;
  return { kind, name, types, code: term?.param === undefined ? term?.plus : undefined, term, isDead: false, key };
}

/** An abort with a number, with one of the function's parameters, or with any code. */
export function abortFact(term: Term | undefined): Fact {
  const number = `0x${term?.plus.toString(16)}`;
  return makeFact(
    "aborts",
    term === undefined ? ANY_CODE : term.param === undefined ? number : `arg${term.param} + ${number}`,
    NO_TYPES,
    term,
  );
}

/** What is done somewhere counts before what stands in dead code. */
export function addFact(facts: Facts, fact: Fact, isDead = fact.isDead): void {
  if (!isDead || !facts.has(fact.key)) facts.set(fact.key, isDead === fact.isDead ? fact : { ...fact, isDead });
}

/** `0x1::coin::CoinStore<T0>`. */
export function factText({ name, types }: Fact): string {
  return types.length === 0 ? name : `${name}<${types.join(", ")}>`;
}

/** `0x1::coin aborts 0x1`, `reads 0x1::coin::CoinStore`: what a function of a module does, as all modules together have it. */
export function effectText(module: string, { kind, name }: Fact): string {
  return kind === "aborts" || kind === "native" ? `${module} ${kind} ${name}` : `${kind} ${name}`;
}

/** A type parameter, and no struct of such a name. */
const PARAMETER = /(?<![\w$:])T(\d+)(?![\w$:])/g;

/** A type text of a callee in its caller's terms. */
export function inTypes(text: string, typeArguments: readonly string[]): string {
  return text.replaceAll(PARAMETER, (_, index) => typeArguments[Number(index)] ?? "_");
}

export function isGeneric(text: string): boolean {
  return text.search(PARAMETER) >= 0;
}
