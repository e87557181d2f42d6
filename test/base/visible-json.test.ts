import fc from "fast-check";
import { expect, test } from "vitest";
import { visibleJson } from "../../src/base/visible-json.ts";

test("JSON says the same, and holds nothing that a terminal acts on", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom("\u001b", "\u009b", "\u202e", "\u200b", "\u{e0041}", "\ufeff", "\u2028"), fc.string()),
  });
  fc.assert(
    fc.property(text, (value) => {
      const json = visibleJson(JSON.stringify({ value }));
      expect(JSON.parse(json)).toEqual({ value });
      expect(json).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    }),
  );
  expect(visibleJson('"vector<u8>\u{e0041}"')).toBe('"vector<u8>\\udb40\\udc41"');
});
