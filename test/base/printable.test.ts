import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvLine, csvText, printable } from "../../src/core/base/printable.ts";

describe("printable", () => {
  test("escapes what can move a cursor, hide or turn text", () => {
    expect(printable("a\u001b[31mb\r\nc\u202ed\u200be\u0085")).toBe("a\\u{1b}[31mb\\u{d}\\u{a}c\\u{202e}d\\u{200b}e\\u{85}");
  });

  test("cuts what is long", () => {
    expect(printable("x".repeat(10), 4)).toBe("xxxx…");
  });

  test("never lets a control or a lone surrogate through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

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
