import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findJsonExcess, visibleJson } from "../../src/core/base/json.ts";

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

const bytes = (text: string): Buffer => Buffer.from(text);

/** Brackets and commas of a value's JSON, counted on the value itself. */
function sizeOf(value: unknown): { values: number; depth: number } {
  if (typeof value !== "object" || value === null) return { values: 0, depth: 0 };
  const children = Object.values(value).map(sizeOf);
  return {
    values: children.reduce((sum, child) => sum + child.values, 1 + Math.max(0, children.length - 1)),
    depth: 1 + Math.max(0, ...children.map(({ depth }) => depth)),
  };
}

describe("findJsonExcess", () => {
  test("accepts exactly what is within the bounds, whatever the strings hold", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const { values, depth } = sizeOf(value);
        const text = bytes(JSON.stringify(value));
        expect(findJsonExcess(text, { values, depth })).toBeUndefined();
        if (values > 0) expect(findJsonExcess(text, { values: values - 1, depth })).toBe("values");
        if (depth > 0) expect(findJsonExcess(text, { values, depth: depth - 1 })).toBe("depth");
      }),
    );
  });

  test.each(['"a,b,[{"', '"\\"[[[["', '"\\\\",', '"never ends [[[['])("counts nothing inside the string of %s", (text) => {
    expect(findJsonExcess(bytes(text), { values: 1, depth: 0 })).toBeUndefined();
  });

  test("any bytes are judged", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (input) => {
        expect([undefined, "values", "depth"]).toContain(findJsonExcess(input, { values: 5, depth: 2 }));
      }),
    );
  });
});
