import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AnswerFault } from "../../../src/node/answers/answer-fault.ts";
import { parseJsonBody } from "../../../src/node/answers/json-shape.ts";
import { checkJsonSize } from "../../../src/node/answers/json-size.ts";
import { nodeLimits } from "../../../src/node/node-limits.ts";

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

describe("checkJsonSize", () => {
  test("accepts exactly what is within the bounds, whatever the strings hold", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const { values, depth } = sizeOf(value);
        const text = bytes(JSON.stringify(value));
        checkJsonSize(text, { values, depth });
        if (values > 0) expect(() => checkJsonSize(text, { values: values - 1, depth })).toThrow(/holds more than/);
        if (depth > 0) expect(() => checkJsonSize(text, { values, depth: depth - 1 })).toThrow(/nested more than/);
      }),
    );
  });

  test.each(['"a,b,[{"', '"\\"[[[["', '"\\\\",', '"never ends [[[['])("counts nothing inside the string of %s", (text) => {
    checkJsonSize(bytes(text), { values: 1, depth: 0 });
  });

  test("any bytes are accepted or are a fault", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (input) => {
        try {
          checkJsonSize(input, { values: 5, depth: 2 });
        } catch (error) {
          expect(error).toBeInstanceOf(AnswerFault);
        }
      }),
    );
  });
});

describe("parseJsonBody", () => {
  test("very many values and very deep ones are refused before they are parsed, and by their kind", () => {
    const many = bytes(`[${"{},".repeat(nodeLimits.json.values)}{}]`);
    const deep = bytes("[".repeat(1_000_000));
    expect(() => parseJsonBody(many, nodeLimits.json)).toThrow(expect.objectContaining({ kind: "too_large" }));
    expect(() => parseJsonBody(deep, nodeLimits.json)).toThrow(expect.objectContaining({ kind: "bad_answer" }));
  });
});
