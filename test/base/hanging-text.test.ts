import { describe, expect, test } from "vitest";
import { hangingText } from "../../src/base/hanging-text.ts";

describe("hangingText", () => {
  test("goes on below the text, as far in as the lead is long", () => {
    expect(hangingText("  1  ", "the work could not be done, and nothing was lost", 31)).toBe(
      "  1  the work could not be\n     done, and nothing was lost",
    );
  });

  test("breaks a text without a lead, and one with an indent of its own", () => {
    expect(hangingText("", "the work could not be done", 20)).toBe("the work could not\nbe done");
    expect(hangingText("name: ", "the work could not be done", 22, 2)).toBe("name: the work could\n  not be done");
  });

  test("leaves a word that is longer than the line whole", () => {
    expect(hangingText("a ", "0123456789012345678901234 b", 24)).toBe("a 0123456789012345678901234\n  b");
  });

  test("breaks nothing where there is no room beside the lead", () => {
    expect(hangingText("a long lead: ", "and a text beside it", 24)).toBe("a long lead: and a text beside it");
  });
});
