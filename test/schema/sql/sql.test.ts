import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Session } from "../../../src/core/db/engine/engine.ts";
import { hexOf, least, skipLocked } from "../../../src/core/db/schema/sql/functions.ts";
import { includesVersion, sealed } from "../../../src/core/db/schema/sql/predicates.ts";
import { joined, named, parseParameters, sql } from "../../../src/core/db/schema/sql/sql.ts";
import { holdsFor } from "../../support/property/law.ts";

describe("sql", () => {
  test("says a word in each engine's way, parts within parts", () => {
    const statement = sql`SELECT ${hexOf(sql`coalesce(a.digest, :none)`)} FROM a WHERE ${includesVersion("a", ":version")} ${skipLocked}`;
    const where = "WHERE a.from_version <= :version AND (a.to_version IS NULL OR a.to_version >= :version)";
    expect(statement.in("sqlite")).toBe(
      `SELECT CASE WHEN coalesce(a.digest, :none) IS NOT NULL THEN lower(hex(coalesce(a.digest, :none))) END FROM a ${where} `,
    );
    expect(statement.in("postgresql")).toBe(`SELECT encode(coalesce(a.digest, :none), 'hex') FROM a ${where} FOR UPDATE SKIP LOCKED`);
  });

  test("joins pieces", () => {
    const conditions = [sealed("p"), sql`p.ledger_version < :version`];
    expect(joined(conditions, " AND ").in("sqlite")).toBe("p.status IN ('sealed', 'sealed_with_gaps') AND p.ledger_version < :version");
  });

  test("takes columns and parameters as text, and nothing else", () => {
    for (const simple of ["name", "s.name", ":name", ":name::bytes"]) expect(() => least(simple, "x").in("sqlite")).not.toThrow();
    for (const other of ["a + b", "'text'", "1", "a.b.c", "x) --", ""]) {
      expect(() => least(other, "x").in("sqlite")).toThrow("neither a column nor a parameter");
    }
    for (const name of ["a b", "a;", '"a"', "A", ""]) expect(() => named(name)).toThrow("cannot be a name in SQL");
  });

  test("types what is asked with it: the rows, and each value", async () => {
    const session = { all: async () => [] as never[] } as Pick<Session, "all">;
    const names = sql<[name: string], { account: number; version: bigint }>`SELECT name`;
    expectTypeOf(await session.all(names, { account: 7, version: 1n })).toEqualTypeOf<[name: string][]>();
    // @ts-expect-error: the version is missing
    await session.all(names, { account: 7 });
    // @ts-expect-error: there is no such value
    await session.all(names, { account: 7, version: 1n, name: "coin" });
    // @ts-expect-error: a version is a bigint
    await session.all(names, { account: 7, version: 1 });
  });
});

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

  test("keeps every character of the text, whatever is in it", async () => {
    const piece = fc.constantFrom("'", '"', ":", "::", "--", "/*", "*/", "\n", "a", ":b", ":b::int", "'x'", " ");
    await holdsFor(100, [fc.array(piece)], (pieces) => {
      const { texts, parameters } = parseParameters(pieces.join(" "));
      const told = parameters.map(({ name, kind }) => (kind === undefined ? `:${name}` : `:${name}::${kind}`));
      expect(texts.map((text, i) => text + (told[i] ?? "")).join("")).toBe(pieces.join(" "));
    });
  });
});
