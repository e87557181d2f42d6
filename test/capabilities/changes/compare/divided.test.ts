import fc from "fast-check";
import { expect, test } from "vitest";
import { differenceOf } from "../../../../src/capabilities/changes/compare/difference.ts";
import { isBehaviour } from "../../../../src/capabilities/changes/compare/rules/rules.ts";
import { row } from "../../../support/handmade.ts";
import { load, moduleOfPieces, pieces, pop, ret } from "./support/pieces.ts";
import { moduleOf } from "./support/rule-examples.ts";

test("a function does the same however it is divided, in whatever order tables and locals stand", () => {
  const flags = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
  const parts = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(parts, flags, flags, (chosen, before, after) => {
      const [was, is] = [moduleOf(moduleOfPieces(chosen, before, false)), moduleOf(moduleOfPieces(chosen, after, true))];
      expect(differenceOf(was, is)?.findings.filter(({ rule }) => isBehaviour(rule) || rule === "event-not-emitted") ?? []).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("and something is found where a piece is gone, however it is divided", () => {
  const flags = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
  const parts = fc.uniqueArray(fc.constantFrom(...pieces), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(parts, flags, flags, (chosen, before, after) => {
      const [was, is] = [moduleOf(moduleOfPieces(chosen, before, false)), moduleOf(moduleOfPieces(chosen.slice(1), after.slice(1), true))];
      expect(differenceOf(was, is)?.findings.filter(({ rule }) => isBehaviour(rule)).length).toBeGreaterThan(0);
    }),
    { numRuns: 200 },
  );
});

test("what a function that calls itself computes is told, and also where others call it", () => {
  const again = [row(0x0a, 0), row(0x0a, 1), row(0x11, 0)];
  const recursive = (number: number, isInlined: boolean) => {
    const fn = { name: "f", visibility: "private" as const, params: ["u64", "u64"], code: [...again, load(number), pop, ret] };
    const extra = isInlined ? [load(9), pop] : [row(0x11, 2)];
    const g = { name: "g", visibility: "public" as const, params: ["u64", "u64"], code: [...again, ...extra, ret] };
    const h = { name: "h", visibility: "private" as const, code: [load(9), pop, ret] };
    return moduleOf({ functions: [fn, g, h] });
  };
  const behaviour = (was: number, is: number) =>
    (differenceOf(recursive(was, false), recursive(is, true))?.findings ?? []).filter(({ rule }) => isBehaviour(rule));
  expect(behaviour(3, 3)).toEqual([]);
  expect(behaviour(3, 4)).toMatchObject([
    { rule: "constant-changed", item: { name: "f" }, before: "uses 3 (u64)", after: "uses 4 (u64)", functions: ["g"] },
  ]);
});
