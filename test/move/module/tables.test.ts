import { describe, expect, test } from "vitest";
import { handmade, nameRow, row } from "../../support/handmade.ts";
import { verdict } from "../../support/vm/verdict.ts";

const header = [0xa1, 0x1c, 0xeb, 0x0b];
const address = new Uint8Array(32).fill(1);

/** A module of version 6 whose table headers are written by hand: `kind offset length`, with commas between them. */
function withHeaders(headers: string, contents: Iterable<number> = [0, 0, 1, 0x4d, ...address, 0]): Uint8Array {
  const numbers = headers.match(/\d+/g)?.map(Number) ?? [];
  return row(header, 6, 0, 0, 0, numbers.length / 3, numbers, contents);
}

describe("a module's header", () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])("is read in version %i", (version) => {
    expect(verdict(handmade(version))).toBe("accepted");
  });

  test.each([
    [0, "version 0 does not exist"],
    [11, "version 11, and 10 is the newest known here, at byte 4"],
  ])("is refused in version %i", (version, problem) => {
    expect(verdict(handmade(version))).toContain(problem);
  });

  test.each([
    [0x07, "accepted"],
    [0x0a00_0005, "accepted"],
    [0x0200_0007, "accepted"],
    [0x0800_0007, "accepted"],
    [0x0b00_0007, "version 16777223"],
    [0xf5ff_ffff, "version 4127195135"],
  ])("may have the flavour's bits in its version word, and no others: %i", (word, result) => {
    const bytes = handmade(6);
    new DataView(bytes.buffer).setUint32(4, word, true);
    expect(verdict(bytes)).toContain(result);
  });

  test("begins with the magic", () => {
    for (let i = 0; i < 4; i++) {
      const bytes = handmade(6);
      bytes[i] = (bytes[i] as number) ^ 1;
      expect(verdict(bytes)).toBe(`module: it does not begin with a1 1c eb 0b, at byte ${i}`);
    }
    expect(verdict(new Uint8Array(0))).toContain("does not begin");
  });

  test("may be followed by bytes that nobody reads", () => {
    expect(verdict(row(handmade(6), 0xff, 0xff))).toBe("accepted");
  });
});

describe("table headers", () => {
  const good = "1 0 2, 7 2 2, 8 4 32";

  test("may stand in any order when the tables tile", () => {
    expect(verdict(withHeaders(good))).toBe("accepted");
    expect(verdict(withHeaders(good.split(", ").reverse().join(", ")))).toBe("accepted");
  });

  test.each([
    ["a gap at the start", "1 1 1, 7 2 2, 8 4 32", "table moduleHandles begins at 1 instead of 0"],
    ["a gap", "1 0 1, 7 2 2, 8 4 32", "table identifiers begins at 2 instead of 1"],
    ["an overlap", "1 0 3, 7 2 2, 8 4 32", "table identifiers begins at 2 instead of 3"],
    ["an empty table", "1 0 2, 7 2 2, 8 4 32, 5 36 0", "table signatures is empty"],
    ["a table twice", "1 0 2, 7 2 2, 7 4 32", "table identifiers occurs twice"],
    ["a table beyond the end", "1 0 2, 7 2 2, 8 4 64", "table addresses ends after the module's last byte"],
    ["a kind that does not exist", "1 0 2, 7 2 2, 9 4 32", "table kind 9 does not exist"],
    ["a kind newer than the version", "1 0 2, 7 2 2, 19 4 32", "table structVariantHandles does not exist in bytecode version 6"],
  ])("are refused with %s", (_, headers, problem) => {
    expect(verdict(withHeaders(headers))).toContain(problem);
  });

  test("are refused when there are no module handles", () => {
    expect(verdict(withHeaders("", [0]))).toContain("index 0 into module handles, of which there are 0");
  });

  test("are refused when a table's last row is cut short by its end", () => {
    expect(verdict(withHeaders("1 0 1, 7 1 3, 8 4 32", [0, 2, 0x4d, 0x4d, ...address, 0]))).toContain("the bytes end too early");
  });

  test("are refused with a self index that names no handle", () => {
    const bytes = handmade(6);
    bytes[bytes.length - 1] = 1;
    expect(verdict(bytes)).toContain("index 1 into module handles, of which there are 1");
  });
});

test.each([
  ["friends", 2],
  ["metadata", 5],
  ["structVariantHandles", 7],
  ["variantFieldHandles", 7],
] as const)("tables by version %s are there since version %i", (name, since) => {
  const struct = { identifiers: [nameRow("M")], structHandles: [row(0, 0, since < 2 ? 2 : 0, 0)] };
  const enums = { ...struct, structDefinitions: [row(0, 3, 1, 0, 1, 0, 1)] };
  const rows = {
    friends: { friends: [row(0, 0)] },
    metadata: { metadata: [row(1, 0x4b, 0)] },
    structVariantHandles: { ...enums, structVariantHandles: [row(0, 0)] },
    variantFieldHandles: { ...enums, variantFieldHandles: [row(0, 0, 1, 0)] },
  }[name];
  expect(verdict(handmade(since, rows))).toBe("accepted");
  expect(verdict(handmade(since - 1, rows))).toContain(`does not exist in bytecode version ${since - 1}`);
});

const named = (name: string, version = 6) => verdict(handmade(version, { identifiers: [nameRow(name)] }));

describe("identifiers", () => {
  test.each(["M", "a1_", "_a", "__", "_1", "<SELF>", "<SELF>_0", "<SELF>_019"])("%s is one", (name) => {
    expect(named(name)).toBe("accepted");
  });

  test.each(["", "_", "1a", "a-b", "a b", "é", "<SELF>_", "<SELF>1", "<SELF>_a", "<SELF", "a\u0000"])("`%s` is none", (name) => {
    expect(named(name)).toContain("a name that is not an identifier");
  });

  test.each(["$a", "a$", "a$b", "$$", "$1", "_$"])("%s is one since version 9", (name) => {
    expect(named(name, 9)).toBe("accepted");
    expect(named(name, 8)).toContain("a name that is not an identifier");
  });
});

test("constants are checked in their types and counted, not interpreted", () => {
  expect(verdict(handmade(6, { constants: [row(2, 3, 1, 2, 3), row(1, 0)] }))).toBe("accepted");
  expect(verdict(handmade(6, { constants: [row(0x99, 0)] }))).toContain("type 0x99 does not exist");
  expect(verdict(handmade(6, { constants: [row(2, 4, 1, 2, 3)] }))).toContain("4 bytes wanted, 3 left");
  expect(verdict(handmade(6, { constants: [row(8, 0, 0)] }))).toContain("index 0 into struct handles");
});

describe("metadata", () => {
  test("may hold any bytes under any key", () => {
    expect(verdict(handmade(6, { metadata: [row(2, 0xff, 0, 1, 0xff), row(0, 0)] }))).toBe("accepted");
  });

  test("has keys of at most 1023 bytes and values of at most 65535", () => {
    expect(verdict(handmade(6, { metadata: [row([0xff, 7], new Uint8Array(1023), 0)] }))).toBe("accepted");
    expect(verdict(handmade(6, { metadata: [row([0x80, 8], new Uint8Array(1024), 0)] }))).toContain("1024 where at most 1023");
    expect(verdict(handmade(6, { metadata: [row(0, [0xff, 0xff, 3], new Uint8Array(65535))] }))).toBe("accepted");
    expect(verdict(handmade(6, { metadata: [row(0, [0x80, 0x80, 4], new Uint8Array(65536))] }))).toContain("65536 where at most 65535");
  });
});
