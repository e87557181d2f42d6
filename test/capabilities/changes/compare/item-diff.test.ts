import { describe, expect, test } from "vitest";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import { differenceOf } from "../../../../src/capabilities/changes/compare/difference.ts";
import { pairItems } from "../../../../src/capabilities/changes/compare/item-diff.ts";
import { decodeModule } from "../../../../src/core/abi/decode.ts";
import { formatInterface, interfaceItems } from "../../../../src/core/abi/print/interface-text.ts";
import { row } from "../../../support/handmade.ts";
import { fn, moduleOf, type Parts } from "./support/rule-examples.ts";

/** Items of a line each, or of the lines after the name. */
const itemsOf = (...texts: string[]) =>
  texts.map((text, line) => ({ key: text.split("|")[0] as string, line: line * 10, lines: text.split("|") }));
const changed = ({ items }: ReturnType<typeof pairItems>) =>
  items.filter(({ lines }) => lines.some(({ isSame }) => !isSame)).map(({ before, after }) => [before, after]);

describe("pairItems", () => {
  test("what stands elsewhere is the same, and is named", () => {
    const found = pairItems(itemsOf("a", "b", "c", "d"), itemsOf("d", "a", "b", "c"));
    expect(changed(found)).toEqual([]);
    expect(found.moved).toEqual(["d"]);
    expect(found.items.map(({ lines: [line] }) => [line?.before, line?.after])).toEqual([
      [30, 0],
      [0, 10],
      [10, 20],
      [20, 30],
    ]);
  });

  test("what is gone stands behind what it followed, what is new where it stands", () => {
    const found = pairItems(itemsOf("first", "a", "gone", "b"), itemsOf("a", "new", "b|more"));
    expect(found.items.map(({ before, after }) => [before, after])).toEqual([
      ["first", undefined],
      ["a", "a"],
      ["gone", undefined],
      [undefined, "new"],
      ["b", "b"],
    ]);
    expect(found.moved).toEqual([]);
  });

  test("what was renamed is one item, and two of one name are two", () => {
    expect(changed(pairItems(itemsOf("x|body"), itemsOf("y|body"), new Map([["x", "y"]])))).toEqual([["x", "y"]]);
    expect(changed(pairItems(itemsOf("x|1", "x|2"), itemsOf("x|1", "x|3")))).toEqual([["x", "x"]]);
  });

  test("items of an interface are its lines, at their places", () => {
    const code = writeModule({
      address: "0xcafe",
      name: "m",
      friends: ["0x1::coin"],
      structs: [{ name: "S", abilities: ["key"], fields: [["x", "u64"]] }],
      functions: [{ name: "f", visibility: "public", params: ["0x1::coin::Coin"] }, { name: "g" }],
    });
    const module = decodeModule(code);
    for (const all of [true, false]) {
      const lines = formatInterface(module, { all }).split("\n");
      const items = interfaceItems(module, { all });
      expect(items.map(({ key }) => key)).toEqual(
        expect.arrayContaining(["module", "friend 0x1::coin", "struct S", "fun f", all ? "fun g" : "hidden"]),
      );
      for (const item of items) expect(lines.slice(item.line, item.line + item.lines.length)).toEqual(item.lines);
    }
  });
});

describe("renamedFunctions", () => {
  const named = (...functions: readonly (readonly [name: string, code: number])[]): Parts => ({
    functions: functions.map(([name, abortCode]) => ({ name, visibility: "public" as const, abortCode })),
  });
  const found = (before: Parts, after: Parts) =>
    differenceOf(moduleOf(before), moduleOf(after))?.renamed.map(({ from, to }) => `${from} ${to}`);

  test("names the function with the same signature and instructions", () => {
    expect(found(named(["a", 1], ["b", 2], ["stays", 3]), named(["stays", 3], ["y", 2], ["x", 1]))).toEqual(["a x", "b y"]);
  });

  test("names none where several are alike, the instructions or the signature differ, or nothing is gone", () => {
    expect(found(named(["a", 1], ["b", 1]), named(["x", 1], ["y", 1]))).toEqual([]);
    expect(found(named(["a", 1]), named(["x", 2]))).toEqual([]);
    expect(found(fn({ name: "a", code: [row(0x02)] }), fn({ name: "x", code: [row(0x02)], params: ["u64"] }))).toEqual([]);
    expect(found(named(["a", 1]), named(["a", 1], ["x", 1]))).toEqual([]);
  });
});
