import { describe, expect, test } from "vitest";
import { parseJsonBody } from "../../../src/node/answers/shapes.ts";
import { nodeLimits } from "../../../src/node/node-limits.ts";

describe("parseJsonBody", () => {
  test("very many values and very deep ones are refused before they are parsed, and by their kind", () => {
    const many = Buffer.from(`[${"{},".repeat(nodeLimits.json.values)}{}]`);
    const deep = Buffer.from("[".repeat(1_000_000));
    expect(() => parseJsonBody(many, nodeLimits.json)).toThrow(expect.objectContaining({ kind: "too_large" }));
    expect(() => parseJsonBody(deep, nodeLimits.json)).toThrow(expect.objectContaining({ kind: "bad_answer" }));
  });
});
