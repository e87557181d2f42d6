import fc from "fast-check";
import { expect, test } from "vitest";
import { type CompiledModule, readModule } from "../../../src/move/module/module.ts";
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

test("groups callees by module in the order in which they first come, each name once, however many there are", () => {
  // Equal modules are different objects, as where a hostile module names one by two handles.
  const callee = fc.record({
    module: fc.record({ address: fc.constantFrom("0x1", "0x2"), name: fc.nat(60).map((number) => `m${number}`) }),
    name: fc.nat(60).map((number) => `f${number}`),
  });
  fc.assert(
    fc.property(fc.array(callee, { minLength: 1, maxLength: 400 }), (callees) => {
      const module = { functions: [{ handle: { name: "caller" }, callees }] } as unknown as CompiledModule;
      const numberOf = ({ address, name }: { address: string; name: string }) => Number(name.slice(1)) * 10 + Number(address);
      const wanted = new Map<number, Set<string>>();
      for (const { module, name } of callees) wanted.set(numberOf(module), (wanted.get(numberOf(module)) ?? new Set()).add(name));
      const [row] = functionCallees(module).map((of) => callRow(of, numberOf));
      expect(row?.[0]).toBe("caller");
      expect(JSON.parse(row?.[1] ?? "")).toEqual(Array.from(wanted, ([number, names]) => [number, [...names]]));
    }),
  );
});
