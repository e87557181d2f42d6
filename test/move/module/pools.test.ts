import { describe, expect, test } from "vitest";
import { handmade, nameRow, row } from "../../support/handmade.ts";
import { verdict } from "../../support/vm/verdict.ts";

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

  test("$ alone is none", () => expect(named("$", 10)).toContain("a name that is not an identifier"));

  test("have at most 255 bytes", () => {
    expect(named("a".repeat(255))).toBe("accepted");
    expect(named("a".repeat(256))).toContain("256 where at most 255 is allowed");
  });

  test("that are not UTF-8 are refused", () => {
    expect(verdict(handmade(6, { identifiers: [row(2, 0x61, 0xff)] }))).toContain("a name that is not an identifier");
  });
});

describe("constants", () => {
  test("are checked in their types and counted, not interpreted", () => {
    expect(verdict(handmade(6, { constants: [row(2, 3, 1, 2, 3), row(1, 0)] }))).toBe("accepted");
    expect(verdict(handmade(6, { constants: [row(0x99, 0)] }))).toContain("type 0x99 does not exist");
    expect(verdict(handmade(6, { constants: [row(2, 4, 1, 2, 3)] }))).toContain("4 bytes wanted, 3 left");
    expect(verdict(handmade(6, { constants: [row(8, 0, 0)] }))).toContain("index 0 into struct handles");
  });
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
