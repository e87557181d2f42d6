import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseCode } from "../../../src/move/code/read-code.ts";
import { parseModule } from "../../../src/move/module/module.ts";
import { formatItemId } from "../../../src/move/module-id.ts";
import { sampled, sized } from "../../run-size.ts";
import { handmade, nameRow, row } from "../../support/handmade.ts";
import { frameworkHistory } from "../../support/shared-data.ts";

/** The calls of a module as lines `caller → callee`. */
function linesOf(bytes: Uint8Array): string[] {
  return parseModule(bytes).functions.flatMap(({ handle, callees }) => callees.map((callee) => `${handle.name} → ${formatItemId(callee)}`));
}

// Another reader confirms these calls in test/questions/callers.test.ts and calls-of-releases.long.test.ts.
describe.skipIf(frameworkHistory === undefined)("the calls of real modules (skipped where they are not there)", () => {
  const directory = join(frameworkHistory ?? "", "modules");
  const files = frameworkHistory === undefined ? [] : sampled(readdirSync(directory).sort(), 200);

  test("of all versions are what their instructions refer to, and every foreign function that the tables name is called", () => {
    let calls = 0;
    let uncalled = 0;
    for (const file of files) {
      const bytes = readFileSync(join(directory, file));
      const { module, functions } = parseCode(bytes);
      const expected: string[] = [];
      for (const { definition, instructions } of functions()) {
        const callees = instructions.flatMap(({ reference }) => (reference?.kind === "function" ? [formatItemId(reference.handle)] : []));
        expected.push(...Array.from(new Set(callees), (callee) => `${definition.handle.name} → ${callee}`));
      }
      const found = linesOf(bytes);
      expect(found, file).toEqual(expected);
      calls += found.length;
      const called = new Set(found.map((line) => line.slice(line.indexOf("→") + 2)));
      const foreign = module.functionHandles.filter((handle) => handle.module !== module.self);
      uncalled += foreign.filter((handle) => !called.has(formatItemId(handle))).length;
    }
    expect(calls).toBeGreaterThan(sized(8_000, 100_000));
    expect(uncalled).toBe(0);
  });
});

describe("the calls of a module", () => {
  test("finds calls, generic calls and function values, each once; natives call nothing", () => {
    const code = [
      [0x11, 1],
      [0x38, 0],
      [0x11, 1],
      [0x58, 2, 0x85, 0x01],
      [0x59, 0, 0],
      [0x06, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11],
      0x02,
    ];
    const bytes = handmade(8, {
      identifiers: [nameRow("M"), nameRow("N"), nameRow("f"), nameRow("g"), nameRow("h"), nameRow("n")],
      moduleHandles: [row(0, 0), row(0, 1)],
      signatures: [row(0), row(1, 3)],
      functionHandles: [
        row(0, 2, 0, 0, 0, 1, 0),
        row(1, 3, 0, 0, 0, 1, 0),
        row(1, 4, 0, 0, 0, 1, 0),
        row(1, 3, 0, 0, 1, 0, 1, 0),
        row(0, 5, 0, 0, 0, 1, 0),
      ],
      functionInstantiations: [row(3, 1)],
      functionDefinitions: [row(4, 0, 2, 0), row(0, 0, 0, 0, 0, code.length, ...code)],
    });
    // The generic function and the plain one of the same name are two rows of the table.
    expect(linesOf(bytes)).toEqual(["f → 0x1::N::g", "f → 0x1::N::g", "f → 0x1::N::h"]);
  });
});
