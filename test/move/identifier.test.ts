import fc from "fast-check";
import { expect, test } from "vitest";
import { isIdentifier } from "../../src/core/move/module-id.ts";
import { handmade, nameRow } from "../support/handmade.ts";
import { verdict } from "../support/vm/verdict.ts";

const pieces = ["a", "Z", "0", "9", "_", "$", "<SELF>", "<SELF", ">", "-", " ", "é", "\u0000", "::"];

test("isIdentifier accepts what the reader of modules accepts, and nothing else", () => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      const accepted = verdict(handmade(10, { identifiers: [nameRow(text)] })) === "accepted";
      expect([text, isIdentifier(text)]).toEqual([text, accepted]);
    }),
    { numRuns: 2000 },
  );
});
