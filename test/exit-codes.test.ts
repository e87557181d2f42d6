import { expect, test } from "vitest";
import { closing } from "../src/core/base/async.ts";
import { ConfigError, firstFailure } from "../src/core/errors.ts";
import { type ExitName, exitCodes, gravest } from "../src/core/exit-codes.ts";

const exits = Object.keys(exitCodes) as ExitName[];

test.each(exits)("a job whose one step ended as `%s` does not end better", (exit) => {
  expect(gravest(["done", exit, undefined])).toBe(exit);
  expect(gravest([exit, "wrongChain"])).toBe("wrongChain");
});

test("a job whose steps were all left out is done", () => {
  expect(gravest([undefined, undefined])).toBe("done");
});

test("a failure is told of, and not that closing failed after it, however many were to be closed", async () => {
  const failure = new ConfigError("the reason");
  const close = () => Promise.reject(new Error("closing failed too"));
  const work = async () => {
    await using _outer = closing({ close });
    await using _inner = closing({ close });
    throw failure;
  };
  const caught = await work().catch((error: unknown) => error);
  expect(caught).not.toBe(failure);
  expect(firstFailure(caught)).toBe(failure);
  expect(firstFailure(failure)).toBe(failure);
});
