import { expect, test } from "vitest";
import { closing } from "../src/core/base/async.ts";
import { ConfigError, firstFailure } from "../src/core/errors.ts";

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
