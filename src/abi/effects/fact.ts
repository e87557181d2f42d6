/** What a function can do, by kind; `unknown`: a function value, or a hook that dispatches to any module. */
export const factKinds = ["aborts", "moves", "writes", "reads", "emits", "checks", "calls", "native", "touches", "unknown"] as const;
export type FactKind = (typeof factKinds)[number];

/**
 * One thing that a function does: a resource with its type arguments, an event, a call of another module. `isDead` if it stands only in
 * code that nothing leads to: it is not done, and did not go either.
 */
export type Fact = { readonly kind: FactKind; readonly name: string; readonly types: readonly string[]; readonly isDead: boolean };

/** By a key of kind, name and types. */
export type Facts = Map<string, Fact>;

export function addFact(facts: Facts, kind: FactKind, name: string, types: readonly string[], isDead: boolean): void {
  keepFact(facts, `${kind} ${name}<${types.join(", ")}>`, { kind, name, types, isDead });
}

/** What is done somewhere counts before what stands in dead code. */
export function keepFact(facts: Facts, key: string, fact: Fact): void {
  if (!fact.isDead || !facts.has(key)) facts.set(key, fact);
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
