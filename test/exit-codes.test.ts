import { expect, test } from "vitest";
import { type ExitName, exitCodes, gravest } from "../src/core/exit-codes.ts";

const exits = Object.keys(exitCodes) as ExitName[];

test.each(exits)("a job whose one step ended as `%s` does not end better", (exit) => {
  expect(gravest(["done", exit, undefined])).toBe(exit);
  expect(gravest([exit, "wrongChain"])).toBe("wrongChain");
});

test("a job whose steps were all left out is done", () => {
  expect(gravest([undefined, undefined])).toBe("done");
});
