import fc from "fast-check";
import { expect, test } from "vitest";
import { differenceOf } from "../../../src/abi/compare/difference.ts";
import { isBehaviour } from "../../../src/abi/compare/rules/rules.ts";
import { moduleOfPieces, pieces } from "./support/pieces.ts";
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
