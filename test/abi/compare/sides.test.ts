import { expect, test } from "vitest";
import { compareSides, type HeldModule, type Side } from "../../../src/abi/compare/sides.ts";
import type { Address } from "../../../src/move/address.ts";

test("modules of a side are read a hundred at a time, and only those that differ", async () => {
  const asked: number[] = [];
  const names = Array.from({ length: 250 }, (_, i) => `m${String(i).padStart(3, "0")}`);
  const side = (label: string, sha256: string): Side => ({
    label,
    modules: new Map(
      names.map((name): [string, HeldModule] => [
        `0x1::${name}`,
        { address: "0x1" as Address, name, sha256: name.endsWith("0") ? "the same" : sha256 },
      ]),
    ),
    unknown: async () => undefined,
    load: async (modules) => {
      asked.push(modules.length);
      return ({ name }) => ({ unreadable: `${name} is damaged` });
    },
  });
  const { unchanged, incomparable } = await compareSides(side("before", "old"), side("after", "new"));
  expect(asked).toEqual([100, 100, 100, 100, 25, 25]);
  expect(unchanged).toBe(25);
  const differing = names.filter((name) => !name.endsWith("0"));
  expect(incomparable).toEqual(
    differing.flatMap((name) => ["before", "after"].map((label) => ({ subject: `0x1::${name}`, reason: `${label}: ${name} is damaged` }))),
  );
});
