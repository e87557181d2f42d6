import { describe, expect, test } from "vitest";
import { condition, hex, orNull, rowOf, stored, text, version, whole } from "../../src/core/db/engine/row-shape.ts";
import { sql } from "../../src/core/db/schema/sql/sql.ts";

const shape = rowOf({
  name: text("a.name"),
  count: whole(sql`count(*)`),
  at: version("a.version"),
  isHeld: condition("a.is_held"),
  digest: hex("a.digest"),
  facts: stored<{ readonly n: number }>("a.facts"),
  until: orNull(version("a.until")),
});
const row = ["one", 3, 2n ** 60n, 1, Uint8Array.of(0xab, 1), '{"n":1}', null] as const;

describe("rowOf", () => {
  test("gives the columns in their order", () => {
    expect(shape.columns.in("sqlite")).toBe("a.name, count(*), a.version, a.is_held, a.digest, a.facts, a.until");
  });

  test("reads a row by the names of its fields", () => {
    const read = { name: "one", count: 3, at: 2n ** 60n, isHeld: true, digest: "ab01", facts: { n: 1 }, until: null };
    expect(shape.read(row)).toEqual(read);
    expect(shape.read([...row.slice(0, 2), "18446744073709551615", 0, ...row.slice(4, 6), 7])).toEqual({
      ...read,
      at: 2n ** 64n - 1n,
      isHeld: false,
      until: 7n,
    });
  });

  test.each([
    [0, null, "nothing where text"],
    [0, 1, "`1` where text"],
    [1, 1.5, "`1.5` where a whole number"],
    [1, 2n ** 60n, "where a whole number"],
    [2, "1e3", "`1e3` where a ledger version"],
    [3, 2, "`2` where 0 or 1"],
    [4, "ab01", "`ab01` where bytes"],
    [6, "x", "`x` where a ledger version"],
  ])("refuses in cell %i what its field does not say: %s", (place, cell, sentence) => {
    const error = expect.objectContaining({ code: "MOVEDEX_STORE_DAMAGED", message: expect.stringContaining(sentence) });
    expect(() => shape.read(row.map((good, i) => (i === place ? cell : good)))).toThrow(error);
  });
});
