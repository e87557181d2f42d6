import { describe, expect, test } from "vitest";
import { categoryOf, findError } from "../../../src/capabilities/effects/abort-codes.ts";
import { present } from "../../../src/core/errors.ts";
import { parseCode } from "../../../src/core/move/code/read-code.ts";
import { moduleReader, readReleases, testReleases } from "../../support/index.ts";

const error = (code: bigint, name: string) => ({ code, name, description: "" });

testReleases("knows the category of each function of the real 0x1::error", () => {
  const sha256 = present(readReleases().at(-1)?.modules.get("0x1::error"), "every release has it");
  // The compiler writes each category as a literal in its place, 16 bits up; the reason is added to it.
  const functions = Array.from(parseCode(moduleReader()(sha256).bytes).functions(), ({ definition, instructions }) => ({
    name: definition.handle.name,
    category: instructions.find(({ name }) => name === "LdU64")?.value,
  })).filter(({ name }) => name !== "canonical");
  expect(functions).toHaveLength(12);
  for (const { name, category } of functions) expect([name, categoryOf(name)]).toEqual([name, category && category >> 16n]);
  expect(categoryOf("canonical")).toBeUndefined();
});

describe("findError", () => {
  const errors = [error(7n, "E7"), error(0x1007n, "E1007"), error(0x10003n, "E10003"), error(3n, "E3")];

  test("finds a reason below a category", () => expect(findError(errors, 0x50007n)).toEqual({ error: errors[0], byNode: undefined }));

  test("prefers the whole code, and says what nodes call it", () => {
    expect(findError(errors, 0x10003n)).toEqual({ error: errors[2], byNode: errors[3] });
    expect(findError(errors, 0x1007n)).toEqual({ error: errors[1], byNode: errors[0] });
    expect(findError(errors, 0x21007n)).toEqual({ error: errors[1], byNode: errors[0] });
  });

  test("never takes what nodes say for what the module means", () => {
    expect(findError(errors, 0x12007n)).toEqual({ error: undefined, byNode: errors[0] });
    expect(findError(errors, 0x77770007n)).toEqual({ error: undefined, byNode: errors[0] });
    expect(findError([error(1n, "E1")], 0xca26cbd9be0b0001n)).toEqual({ error: undefined, byNode: error(1n, "E1") });
    expect(findError([error(1n, "E1")], 0xca26cbd9be0b0000n)).toBeUndefined();
  });
});
