import { describe, expect, test } from "vitest";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { DecodeError } from "../../../src/core/move/decode-error.ts";
import { handmade, nameRow, row } from "../../support/handmade.ts";
import { verdict } from "../../support/vm/verdict.ts";

const ROWS_MAX = 65_536;
const repeat = (count: number, bytes: Uint8Array): Uint8Array[] => new Array<Uint8Array>(count).fill(bytes);

/** The error that decoding gives. */
function refusal(bytes: Uint8Array): { code: string; problem: string; offset: number } {
  try {
    decodeModule(bytes);
  } catch (error) {
    if (error instanceof DecodeError) return { code: error.code, problem: error.facts["problem"] as string, offset: error.offset };
    throw error;
  }
  return expect.fail("it was decoded");
}

describe("a module", () => {
  test("of more bytes than a chain stores in one item is refused before its tables are read", () => {
    const bytes = handmade(6, { signatures: [new Uint8Array(5_000_000)] });
    expect(refusal(bytes)).toEqual({
      code: "MOVEDEX_DECODE_LIMIT",
      problem: `${bytes.length} bytes, and a module has at most 1048576`,
      offset: 0,
    });
  });

  test("of a newer version is unsupported, whatever its size", () => {
    expect(refusal(handmade(11, { signatures: [new Uint8Array(2_000_000)] })).code).toBe("MOVEDEX_DECODE_UNSUPPORTED_VERSION");
  });

  test.each<[string, Parameters<typeof handmade>[1]]>([
    ["signatures", { signatures: repeat(ROWS_MAX, row(0)) }],
    ["friends", { friends: repeat(ROWS_MAX, row(0, 0)) }],
    ["moduleHandles", { moduleHandles: repeat(ROWS_MAX, row(0, 0)) }],
    ["structHandles", { structHandles: repeat(ROWS_MAX, row(0, 0, 0, 0)) }],
    ["constants", { constants: repeat(ROWS_MAX, row(2, 0)) }],
    ["metadata", { metadata: repeat(ROWS_MAX, row(0, 0)) }],
    ["identifiers", { identifiers: [nameRow("M"), ...repeat(ROWS_MAX - 1, nameRow("a"))] }],
  ])("has at most 65,536 rows of %s", (name, rows = {}) => {
    expect(verdict(handmade(6, rows))).toBe("accepted");
    const table = rows[name as keyof typeof rows] as Uint8Array[];
    const more = handmade(6, { ...rows, [name]: [...table, table.at(-1) as Uint8Array] });
    expect(refusal(more)).toMatchObject({ code: "MOVEDEX_DECODE_LIMIT", problem: "a table has more than 65536 rows" });
  });

  test("counts the names of friends and dependencies as part of its interface", () => {
    const named = (count: number) =>
      handmade(6, { identifiers: [nameRow("M"), nameRow("a".repeat(255))], moduleHandles: [row(0, 0), ...repeat(count, row(0, 1))] });
    expect(verdict(named(15_000))).toBe("accepted");
    expect(refusal(named(20_000))).toMatchObject({
      code: "MOVEDEX_DECODE_LIMIT",
      problem: "its interface has more than 4194304 characters",
    });
  });
});
