import fc from "fast-check";
import { expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { moduleCalls } from "../../../src/core/db/archive/content/derivation.ts";
import { type CompiledModule, parseModule } from "../../../src/core/move/module/module.ts";

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

test("gives each callee once and in one order, however many there are and by whichever handles they are named", () => {
  // Equal modules are different objects, as where a hostile module names one by two handles.
  const callee = fc.record({
    module: fc.record({ address: fc.constantFrom("0x1", "0x2"), name: fc.nat(2).map((number) => `m${number}`) }),
    name: fc.nat(3).map((number) => `f${number}`),
  });
  fc.assert(
    fc.property(fc.array(callee, { minLength: 1, maxLength: 400 }), (callees) => {
      const module = { functions: [{ handle: { name: "caller" }, callees }] } as unknown as CompiledModule;
      const names = (list: readonly (typeof callees)[number][]) =>
        list.map(({ module: { address, name: holder }, name }) => `${address}::${holder}::${name}`);
      const calls = moduleCalls(module);
      const wanted = [...new Set(names(callees))].sort();
      expect(names((calls?.callees ?? []) as unknown as typeof callees)).toEqual(wanted);
      expect([...(calls?.ofFunction ?? [])]).toEqual([["caller", wanted.map((_, place) => place)]]);
    }),
  );
});
