import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { traitsOf } from "../../sim/ledger/generation.ts";
import { printAbi } from "../../sim/ledger/node-abi.ts";
import type { NodeAbiJson } from "../../src/core/abi/node-json/format.ts";
import { frameworkHistory } from "../support/shared-data.ts";

type Line = { readonly sha256: string; readonly bytecode_version: number; readonly abi: NodeAbiJson };

const directory = frameworkHistory ?? "";

test.skipIf(!frameworkHistory).each(["A", "B", "C", "D"] as const)(
  "what generation %s prints from a recorded interface and from the bytes is the same text (needs the recorded releases)",
  (generation) => {
    const lines = readFileSync(join(directory, "abi.jsonl"), "utf8").split("\n").filter(Boolean);
    const modules = lines
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line.bytecode_version <= traitsOf[generation].maxBytecodeVersion);
    const differing = modules.filter(({ sha256, abi }) => {
      const bytes = readFileSync(join(directory, "modules", `${sha256}.mv`));
      return JSON.stringify(printAbi(bytes, abi, generation)) !== JSON.stringify(printAbi(bytes, undefined, generation));
    });
    expect(modules.length).toBeGreaterThan(1000);
    expect(differing.map(({ sha256, abi }) => `${abi.name} ${sha256}`)).toEqual([]);
  },
);
