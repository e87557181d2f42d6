import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatMoveType } from "../../../src/core/move/types/format-type.ts";
import type { MoveType } from "../../../src/core/move/types/make-type.ts";
import { parseType } from "../../../src/core/move/types/parse-type.ts";
import { arbitraryType } from "../../support/arbitrary-module.ts";
import { holdsFor, law } from "../../support/property/law.ts";

const pieces = [..."vector< & | , > < u8 bool T0 T01 0x1::a::B 0x01::a::B 0x1::a :: $ signer".split(" "), "&mut ", ", ", " "];

describe("parseType", () => {
  law("takes apart whatever type a node prints, function types in function types aside", 1000, [arbitraryType(10, [], 3)], (type) => {
    const parsed = parseType(type.text);
    expect(parsed.text).toBe(type.text);
    if (parsed.kind !== "unknown") expect(parsed).toEqual(withoutAbilities(type));
    else expect(type.text).toMatch(/\|.*\|.*\|.*\|/);
  });

  test("is total, and its text is the text that it was given", async () => {
    const texts = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...pieces)).map((list) => list.join("")),
    );
    await holdsFor(5000, [texts], (text) => {
      expect(parseType(text).text).toBe(text);
    });
  });

  test("tells results of a function type from the next type argument by the blank", () => {
    expect(parseType("0x1::a::B<|u8|bool,u64, T1>")).toMatchObject({
      kind: "struct",
      typeArguments: [
        { kind: "function", results: [{ text: "bool" }, { text: "u64" }] },
        { kind: "parameter", index: 1 },
      ],
    });
    expect(parseType("||")).toMatchObject({ kind: "function", params: [], results: [] });
    expect(parseType("vector<|u8||u8|>").kind).toBe("unknown");
  });

  test.each([
    ..."U8 vector<> vector<u8 vector<u8>> 0x1::a::B<> 0x1::a::B<u8,u8> 0x01::a::B 0xA::a::B T00 T99999999 && |u8 unparsable<x>".split(" "),
    ...["", "0x1::a::B<u8 >", "& u8", `0x${"1".repeat(65)}::a::B`],
  ])("does not know %j", (text) => {
    expect(parseType(text)).toEqual({ kind: "unknown", text });
  });

  test("goes 256 deep and no deeper, in time that grows with the length", () => {
    const nested = (depth: number) => `${"vector<".repeat(depth - 1)}u8${">".repeat(depth - 1)}`;
    expect(parseType(nested(256)).kind).toBe("vector");
    expect(parseType(nested(257)).kind).toBe("unknown");
    expect(parseType("&".repeat(1_000_000)).kind).toBe("unknown");
    expect(parseType(`${"0x1::a::B<".repeat(100_000)}`).kind).toBe("unknown");
  });
});

describe("formatMoveType", () => {
  test("spells function types as source code does", () => {
    const u8 = parseType("u8");
    const inner: MoveType = { kind: "function", text: "|u8|", abilities: ["copy", "drop"], params: [u8], results: [] };
    const outer: MoveType = { kind: "function", text: "||u8|,u8|u8,u8", abilities: [], params: [inner, u8], results: [u8, u8] };
    expect(formatMoveType(inner)).toBe("|u8| has copy + drop");
    expect(formatMoveType(outer)).toBe("|(|u8| has copy + drop), u8|(u8, u8)");
    expect(formatMoveType({ kind: "reference", text: "&|u8|", mutable: true, target: inner })).toBe("&mut (|u8| has copy + drop)");
  });

  law("spells everything else as the node does", 100, [arbitraryType(7, [], 2)], (type) => {
    expect(formatMoveType(type)).toBe(type.text);
  });
});

function withoutAbilities(type: MoveType): MoveType {
  switch (type.kind) {
    case "vector":
      return { ...type, element: withoutAbilities(type.element) };
    case "reference":
      return { ...type, target: withoutAbilities(type.target) };
    case "struct":
      return { ...type, typeArguments: type.typeArguments.map(withoutAbilities) };
    case "function":
      return { ...type, abilities: [], params: type.params.map(withoutAbilities), results: type.results.map(withoutAbilities) };
    default:
      return type;
  }
}
