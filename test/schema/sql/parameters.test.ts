import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseParameters } from "../../../src/core/db/schema/sql/parameters.ts";

describe("parseParameters", () => {
  test("finds names and kinds, in the order of the text", () => {
    expect(parseParameters("SELECT :a, :until::time FROM t WHERE x = :a")).toEqual({
      texts: ["SELECT ", ", ", " FROM t WHERE x = ", ""],
      parameters: [{ name: "a" }, { name: "until", kind: "time" }, { name: "a" }],
    });
  });

  test("passes over quotes, names in quotes, comments and casts", () => {
    const text = `SELECT ':a', 'it''s :b', ":c", x::text, list[1:2] -- :d\n, '"' /* :e ' */ , ':f'`;
    expect(parseParameters(text)).toEqual({ texts: [text], parameters: [] });
    expect(parseParameters("':a' || :b").parameters).toEqual([{ name: "b" }]);
  });

  test("refuses a kind that there is not", () => {
    expect(() => parseParameters("SELECT :a::bigint")).toThrow("names no kind of column");
    expect(() => parseParameters("SELECT :a::toString")).toThrow("names no kind of column");
  });

  test("keeps every character of the text, whatever is in it", () => {
    const piece = fc.constantFrom("'", '"', ":", "::", "--", "/*", "*/", "\n", "a", ":b", ":b::int", "'x'", " ");
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const { texts, parameters } = parseParameters(pieces.join(" "));
        const told = parameters.map(({ name, kind }) => (kind === undefined ? `:${name}` : `:${name}::${kind}`));
        expect(texts.map((text, i) => text + (told[i] ?? "")).join("")).toBe(pieces.join(" "));
      }),
    );
  });
});
