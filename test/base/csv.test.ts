import fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine, csvText } from "../../src/base/printable.ts";

test("a record is quoted where it must be, and tells null from an empty text", () => {
  expect(csvLine(["a", 'say "hi", please', "", null])).toBe('a,"say ""hi"", please","",\r\n');
});

test("whatever the text, a cell begins no formula and holds nothing that a terminal acts on", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\u001b", "\u009b", "\u202e"), fc.string()),
  });
  fc.assert(
    fc.property(text, (value) => {
      const cell = csvText(value);
      expect(cell).not.toMatch(/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/);
      expect(cell).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    }),
  );
});
