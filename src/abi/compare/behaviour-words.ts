import { abortCodeParts, compilerAbort, findError } from "../abort/abort-codes.ts";
import { type Fact, type FactKind, factKinds, factText } from "../effects/fact.ts";
import { ANY_CODE } from "../effects/module-effects.ts";
import type { ErrorCodeAbi } from "../model.ts";
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
  const isOfFields = facts.every(({ kind }) => kind === "touches");
  const clauses = factKinds.flatMap((kind) => {
    // Which fields goes without saying where there is more to say.
    const of = facts.filter(
      (fact) => fact.kind === kind && (kind !== "touches" || isOfFields) && fact.name !== ANY_CODE && !fact.name.startsWith("arg"),
    );
    const names = of.map((fact) => (kind === "aborts" ? abortText(BigInt(fact.name), errors) : factText(fact)));
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
