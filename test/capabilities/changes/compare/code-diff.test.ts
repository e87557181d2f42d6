import { describe, expect, test } from "vitest";
import type { ModuleSpec } from "../../../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import { type CodeLine, diffCode, type FunctionDiff } from "../../../../src/capabilities/changes/compare/code-diff.ts";
import { compareCode } from "../../../../src/capabilities/changes/compare/difference.ts";
import { Disassembler } from "../../../../src/core/move/code/disassemble.ts";
import { parseCode } from "../../../../src/core/move/code/read-code.ts";
import { sized } from "../../../run-size.ts";
import { moduleReader, neighbours, readReleases, testReleases, upgradedModules } from "../../../support/index.ts";

const op = (...bytes: number[]): Uint8Array => Uint8Array.of(...bytes);
const load = (value: number): Uint8Array => op(0x31, value);
const [POP, RET, TRUE] = [op(0x01), op(0x02), op(0x08)];
const branchIf = (to: number): Uint8Array => op(0x03, to);

const module = (...code: Uint8Array[]): Uint8Array =>
  writeModule({ address: "0x1", name: "m", functions: [{ name: "f", code }] } satisfies ModuleSpec);

function functionsOf(before: Uint8Array, after: Uint8Array): readonly FunctionDiff[] {
  const diff = diffCode(before, after);
  if ("unreadable" in diff) return expect.fail(diff.unreadable);
  expect(diff.leftOut).toBe(0);
  return diff.functions;
}

const written = ({ hunks }: FunctionDiff): string[] =>
  hunks.flat().map(({ change, text }) => `${{ same: " ", removed: "-", added: "+" }[change]}${text}`);

describe("diffCode", () => {
  test("shows the instruction that changed with those around it", () => {
    const padding = new Array<Uint8Array>(10).fill(TRUE);
    const [diff] = functionsOf(module(...padding, load(5), POP, RET), module(...padding, load(6), POP, RET));
    expect(diff).toMatchObject({ function: "f", change: "changed" });
    expect(diff?.hunks).toEqual([
      [
        { change: "same", index: 7, text: "LdTrue" },
        { change: "same", index: 8, text: "LdTrue" },
        { change: "same", index: 9, text: "LdTrue" },
        { change: "removed", index: 10, text: "LdU8 5" },
        { change: "added", index: 10, text: "LdU8 6" },
        { change: "same", index: 11, text: "Pop" },
        { change: "same", index: 12, text: "Ret" },
      ],
    ]);
  });

  test("takes a branch for the same that goes to the same instruction, which has moved", () => {
    const before = module(TRUE, branchIf(3), RET, load(1), POP, RET);
    const after = module(TRUE, branchIf(5), load(9), POP, RET, load(1), POP, RET);
    expect(functionsOf(before, after).map(written)).toEqual([[" LdTrue", " BrTrue L5", "+LdU8 9", "+Pop", " Ret", " LdU8 1", " Pop"]]);
  });

  test("shows a branch that goes elsewhere, though its words are the same", () => {
    const before = module(TRUE, branchIf(3), RET, load(1), POP, RET);
    const after = module(TRUE, branchIf(3), RET, load(2), POP, load(1), POP, RET);
    // It went to what loads 1, and goes to what was put before that.
    expect(functionsOf(before, after).map(written)).toEqual([
      [" LdTrue", "-BrTrue L3", "+BrTrue L3", " Ret", "+LdU8 2", "+Pop", " LdU8 1", " Pop", " Ret"],
    ]);
  });

  test("gives functions up that have nothing in common, and leaves out those beyond the limit of lines", () => {
    const long = (value: number): Uint8Array => module(...new Array<Uint8Array>(3_000).fill(load(value)), RET);
    const [diff] = functionsOf(long(1), long(2));
    expect(written(diff ?? expect.fail()).length).toBe(6_001);
    expect(diffCode(long(1), long(2), 100)).toEqual({ functions: [], leftOut: 1 });
  });

  test("locals that only have other numbers are the same, and a swapped one is not", () => {
    const numbered = (params: readonly string[], ...named: readonly number[]) =>
      writeModule({
        address: "0x1",
        name: "m",
        functions: [{ name: "f", params: [...params], locals: ["u64", "u64"], code: [...named.map((local) => op(0x0a, local)), RET] }],
      });
    expect(functionsOf(numbered([], 0, 1, 0), numbered([], 1, 0, 1))).toEqual([]);
    expect(functionsOf(numbered([], 0, 1, 0), numbered([], 0, 1, 1))).toMatchObject([{ change: "changed" }]);
    // Parameters are what callers give.
    expect(functionsOf(numbered(["u64", "u64"], 0, 1, 0), numbered(["u64", "u64"], 1, 0, 1))).toMatchObject([{ change: "changed" }]);
  });

  test("says why it could not read", () => {
    expect(diffCode(module(RET), module(RET).with(4, 99))).toEqual({ unreadable: expect.stringContaining("version 99") });
  });
});

testReleases("all changes between recorded releases are shown for the functions that compareCode names, and add up to both sides", () => {
  const moduleOf = moduleReader();
  const seen = new Set<string>();
  let functions = 0;
  for (const [before, after] of neighbours(readReleases(), sized(30, 1))) {
    for (const [, old, now] of upgradedModules(before, after)) {
      if (seen.has(old + now)) continue;
      seen.add(old + now);
      const [was, is] = [moduleOf(old).bytes, moduleOf(now).bytes];
      const code = compareCode(was, is);
      const diff = diffCode(was, is);
      if ("unreadable" in diff) return expect.fail(diff.unreadable);
      expect(diff.leftOut).toBe(0);
      const changed = diff.functions.filter(({ change }) => change === "changed");
      const named = (code.kind === "code" ? code.functions : undefined) ?? [];
      const shown = new Set(changed.map((found) => found.function));
      expect([...shown].filter((name) => !named.includes(name))).toEqual([]);
      const [oldTexts, newTexts] = [textsOf(was), textsOf(is)];
      // What is not shown differs in the numbers of its locals alone.
      const withoutLocals = (texts: readonly string[] = []): string[] => texts.map((text) => text.replace(/Loc \w+$/, "Loc"));
      for (const name of named.filter((one) => !shown.has(one)))
        expect(withoutLocals(oldTexts.get(name)), name).toEqual(withoutLocals(newTexts.get(name)));
      for (const found of diff.functions) {
        const [a, b] = [oldTexts.get(found.function) ?? [], newTexts.get(found.function) ?? []];
        const lines = found.hunks.flat();
        const count = (wanted: CodeLine["change"]) => lines.filter(({ change, index }) => change === wanted && index !== null).length;
        expect(a.length - count("removed"), found.function).toBe(b.length - count("added"));
        const isThere = ({ change, index, text }: CodeLine): boolean => index === null || (change === "removed" ? a : b)[index] === text;
        expect(lines.filter((line) => !isThere(line))).toEqual([]);
        expect(lines, found.function).not.toEqual(lines.filter(({ change }) => change === "same"));
        functions += 1;
      }
    }
  }
  expect(seen.size).toBeGreaterThan(sized(50, 1_500));
  expect(functions).toBeGreaterThan(sized(100, 3_000));
});

function textsOf(bytes: Uint8Array): ReadonlyMap<string, readonly string[]> {
  const words = new Disassembler();
  return new Map(Array.from(parseCode(bytes).functions(), (code) => [code.definition.handle.name, words.disassemble(code).instructions]));
}
