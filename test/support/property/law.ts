import fc from "fast-check";
import { test } from "vitest";

type Drawn<Values extends readonly unknown[]> = { readonly [Key in keyof Values]: fc.Arbitrary<Values[Key]> };
type Law<Values extends readonly unknown[]> = (...values: Values) => unknown;
type Runs<Values extends readonly unknown[]> = number | Omit<fc.Parameters, "examples"> | { readonly examples: Values[] };

/** Asserts that a law holds of values drawn so many times, or by fast-check's parameters. It throws where it does not, or returns false. */
export async function holdsFor<Values extends [unknown, ...unknown[]]>(runs: Runs<Values>, drawn: Drawn<Values>, law: Law<Values>) {
  const holds = async (...some: unknown[]) => (await law(...(some as Values))) !== false;
  const property = fc.asyncProperty(...(drawn as unknown as [fc.Arbitrary<unknown>]), holds);
  await fc.assert(property, (typeof runs === "number" ? { numRuns: runs } : runs) as object);
}

/** Declares a test of a law. */
export function law<Values extends [unknown, ...unknown[]]>(title: string, runs: Runs<Values>, drawn: Drawn<Values>, holds: Law<Values>) {
  test(title, () => holdsFor(runs, drawn, holds));
}
