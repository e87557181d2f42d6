import { expect, test } from "vitest";
import { jsonLine } from "../../../src/cli/output/json-line.ts";

test("one line that says the same, without a character that a terminal acts on", () => {
  const value = { text: "a\nb \u001b[2J \u009b2J \u202e \u2028", big: 2n ** 60n, small: 1 };
  const line = jsonLine(value);
  expect(JSON.parse(line)).toEqual({ ...value, big: "1152921504606846976" });
  expect(line.indexOf("\n")).toBe(line.length - 1);
  expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
});
