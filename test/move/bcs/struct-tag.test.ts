import { describe, expect, test } from "vitest";
import { isStructTag } from "../../../src/core/move/bcs/struct-tag.ts";

const address = `${"00".repeat(31)}01`;
const named = `${address}04636f696e04436f696e`;
const tag = (types: string) => Buffer.from(named + types, "hex");

describe("isStructTag", () => {
  test.each([
    ["no type argument", "00"],
    ["primitives", "080001020304050809"],
    ["a vector of u8", "010601"],
    ["a struct with an argument", `0107${named}0100`],
    ["a function from u64 to bool", "010b01020201020007"],
  ])("takes %s", (_, types) => {
    expect(isStructTag(tag(types))).toBe(true);
  });

  test.each([
    ["no list of type arguments", ""],
    ["fewer type arguments than it says", "0200"],
    ["bytes after it", "0000"],
    ["a type that no node knows", "0112"],
    ["eight vectors in each other", `01${"06".repeat(8)}00`],
    ["a count that no input could hold", "01ffffffff0f"],
  ])("refuses %s", (_, types) => {
    expect(isStructTag(tag(types))).toBe(false);
  });

  test("refuses what is cut at any length", () => {
    const whole = tag(`0107${named}010601`);
    expect(isStructTag(whole)).toBe(true);
    for (let end = 0; end < whole.length; end++) expect(isStructTag(whole.subarray(0, end))).toBe(false);
  });
});
