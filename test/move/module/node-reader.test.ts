import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { sized } from "../../run-size.ts";
import { arbitraryModule, arbitraryVersion } from "../../support/arbitrary-module.ts";
import { mutate, randomBelow } from "../../support/mutate.ts";
import { law } from "../../support/property/law.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { verdict } from "../../support/vm/verdict.ts";

const modules = frameworkHistory === undefined ? [] : readModules(frameworkHistory);

// `verdict` throws when movedex and the node's own reader disagree.
describe.skipIf(frameworkHistory === undefined)("real modules, beside the node's own reader (skipped where they are not there)", () => {
  test("are accepted by both", () => {
    expect(modules.length).toBe(1889);
    expect(modules.filter((bytes) => verdict(bytes) !== "accepted")).toEqual([]);
  });

  test("are judged alike when cut, some of them at every length", () => {
    const small = modules.filter(({ length }) => length < 1500).filter((_, i) => i % 20 === 0);
    const cuts = small.flatMap((bytes) => Array.from(bytes, (_, length) => bytes.subarray(0, length)));
    expect(cuts.length).toBeGreaterThan(3000);
    expect(cuts.filter((cut) => verdict(cut) === "accepted")).toEqual([]);
  });

  test("are judged alike when cut, all of them at a few lengths", () => {
    const random = randomBelow(1);
    const cuts = modules.flatMap((bytes) => [bytes.subarray(0, random(bytes.length)), bytes.subarray(0, bytes.length - 1)]);
    expect(cuts.filter((cut) => verdict(cut) === "accepted")).toEqual([]);
  });

  test("are judged alike after thousands of mutations, many of which are still modules", () => {
    const random = randomBelow(2);
    let accepted = 0;
    for (let i = 0; i < sized(2_000, 20_000); i++) {
      if (verdict(mutate(modules[random(modules.length)] as Uint8Array, random)) === "accepted") accepted++;
    }
    expect(accepted).toBeGreaterThan(sized(200, 2000));
  });
});

law(
  "written modules, beside the node's own reader, are accepted by both in every version, and judged alike when mutated",
  300,
  [arbitraryVersion.chain(arbitraryModule), fc.nat()],
  (spec, seed) => {
    const bytes = writeModule(spec);
    expect(verdict(bytes)).toBe("accepted");
    const random = randomBelow(seed);
    for (let i = 0; i < 10; i++) verdict(mutate(bytes, random));
  },
);

function readModules(directory: string): Uint8Array[] {
  const files = readdirSync(join(directory, "modules"));
  return files.map((file) => readFileSync(join(directory, "modules", file)));
}
