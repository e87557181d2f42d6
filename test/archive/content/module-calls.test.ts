import { expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { moduleCalls } from "../../../src/archive/content/derivation.ts";
import { parseModule } from "../../../src/move/module/module.ts";

/** A module of so many functions with long names, each of which calls all of them. */
const everyoneCallsAll = (count: number): Uint8Array => {
  const calls = Array.from({ length: count }, (_, i) => (i < 128 ? Uint8Array.of(0x11, i) : Uint8Array.of(0x11, (i & 127) | 128, i >> 7)));
  const functions = Array.from({ length: count }, (_, i) => ({
    name: `f${i}`.padEnd(200, "x"),
    code: [...calls, Uint8Array.of(0x02)],
  }));
  return writeModule({ address: "0x1", name: "m", functions });
};

test("gives each function with all that it calls, and says so where names would fill the database", () => {
  const calls = moduleCalls(parseModule(everyoneCallsAll(50)));
  expect(calls?.callees).toHaveLength(50);
  expect(calls?.ofFunction.size).toBe(50);
  for (const places of calls?.ofFunction.values() ?? []) expect(places).toEqual(Array.from({ length: 50 }, (_, i) => i));
  // 200 × 200 names of 200 characters, from 0.1 MB of bytecode.
  const large = everyoneCallsAll(200);
  expect(large.length).toBeLessThan(150_000);
  expect(moduleCalls(parseModule(large))).toBeUndefined();
});
