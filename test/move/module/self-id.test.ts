import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { readBytecodeVersion, readSelfId } from "../../../src/core/move/module/self-id.ts";
import { arbitraryModule } from "../../support/arbitrary-module.ts";
import { handmade, nameRow } from "../../support/handmade.ts";
import { mutate, randomBelow } from "../../support/mutate.ts";

describe("readSelfId", () => {
  test("names a module of a version that nobody knows yet", () => {
    const bytes = writeModule({ version: 42, address: "0xcafe", name: "future", dependencies: ["0x1::other"], functions: [{ name: "f" }] });
    expect(readSelfId(bytes)).toEqual({ bytecodeVersion: 42, id: { address: "0xcafe", name: "future" } });
    expect(readBytecodeVersion(bytes)).toBe(42);
  });

  test("names a module whose name is longer than nodes allow today", () => {
    const name = "n".repeat(1000);
    expect(readSelfId(handmade(6, { identifiers: [nameRow(name)] }))?.id.name).toBe(name);
  });

  test("finds the module's own handle among others", () => {
    fc.assert(
      fc.property(arbitraryModule(7), (spec) => {
        expect(readSelfId(writeModule(spec))?.id).toEqual({ address: spec.address, name: spec.name });
      }),
      { numRuns: 50 },
    );
  });

  test("gives nothing for bytes that do not say, and never throws", () => {
    const bytes = writeModule({ version: 10, address: "0xcafe", name: "m", dependencies: ["0x1::other"] });
    const random = randomBelow(3);
    for (let length = 0; length < bytes.length; length++) expect(readSelfId(bytes.subarray(0, length))).toBeUndefined();
    for (let i = 0; i < 5000; i++) readSelfId(mutate(bytes, random));
    expect(readSelfId(handmade(6, { identifiers: [nameRow("a\u001b[2J")] }))).toBeUndefined();
    expect(readBytecodeVersion(Uint8Array.of(0xa1, 0x1c, 0xeb, 0x0b, 1))).toBeUndefined();
  });
});
