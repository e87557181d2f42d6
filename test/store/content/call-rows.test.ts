import { expect, test } from "vitest";
import { readModule } from "../../../src/move/module/module.ts";
import { writeModule } from "../../../src/sim/module-writer/module-writer.ts";
import { CALLS_COMPLETE_SIZE, callRow, functionCallees } from "../../../src/store/content/call-rows.ts";

/** A module of so many functions with long names, each of which calls all of them. */
const everyoneCallsAll = (count: number): Uint8Array => {
  const calls = Array.from({ length: count }, (_, i) => (i < 128 ? Uint8Array.of(0x11, i) : Uint8Array.of(0x11, (i & 127) | 128, i >> 7)));
  const functions = Array.from({ length: count }, (_, i) => ({
    name: `f${i}`.padEnd(200, "x"),
    code: [...calls, Uint8Array.of(0x02)],
  }));
  return writeModule({ address: "0x1", name: "m", functions });
};

test("gives each function with all that it calls, and none where names would fill the database", () => {
  const rows = functionCallees(readModule(everyoneCallsAll(50))).map((of) =>
    callRow(of, ({ address, name }) => (address === "0x1" && name === "m" ? 7 : 0)),
  );
  expect(rows).toHaveLength(50);
  for (const [, callees] of rows) {
    const [[module, names], ...others] = JSON.parse(callees);
    expect([module, names.length, others]).toEqual([7, 50, []]);
  }
  // 200 × 200 names of 200 characters, from 0.1 MB of bytecode.
  const large = everyoneCallsAll(200);
  expect(large.length).toBeLessThan(150_000);
  expect(functionCallees(readModule(large))).toEqual([]);
});

test("leaves none out of bytecode that is small", () => {
  const written = [10, 12, 14, 16, 20, 30, 50, 100, 200].map((count) => ({ count, bytes: everyoneCallsAll(count) }));
  const { count, bytes } = written.findLast((each) => each.bytes.length <= CALLS_COMPLETE_SIZE) ?? expect.fail("none is so small");
  expect(count).toBeGreaterThanOrEqual(10);
  expect(functionCallees(readModule(bytes))).toHaveLength(count);
});
