import fc from "fast-check";
import { expect, test } from "vitest";
import { copyCell } from "../../../src/capabilities/postgresql/copy-rows.ts";
import { postgresEngine } from "../../../src/capabilities/postgresql/postgresql-engine.ts";
import { closing } from "../../../src/core/base/async.ts";
import { type Kind, kinds } from "../../../src/core/db/schema/column.ts";
import { named, sql, verbatim } from "../../../src/core/db/schema/sql/sql.ts";
import { eachPostgres, numbersEngine } from "../../engine/support/postgres-databases.ts";
import { holdsFor } from "../../support/property/law.ts";

const RUNS = 200;
const TWO_63 = 2n ** 63n;

// Of characters: what PostgreSQL keeps in a text is anything but zero.
const text = fc
  .oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom("\\", "\t", "\n", "\r", "\b", "N", ".", "x") }))
  .map((some) => some.replaceAll("\0", ""));
const integer = fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -TWO_63, max: TWO_63 - 1n }));
const cells: { readonly [K in Kind]: fc.Arbitrary<unknown> } = {
  text,
  int: integer,
  version: integer,
  u64: fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom(0n, 9_999n, 10_000n, 10n ** 16n)),
  // Up to 100,000 of them, without making each by itself.
  bytes: fc
    .tuple(fc.uint8Array({ maxLength: 200, size: "max" }), fc.constantFrom(1, 500))
    .map(([some, times]) => Buffer.alloc(some.length * times, some)),
  json: fc.jsonValue().map((value) => JSON.stringify(value).replaceAll("\\u0000", "")),
  bool: fc.constantFrom(true, false, 0, 1),
  time: fc.integer({ min: Date.UTC(1, 0), max: Date.UTC(9999, 0) }),
};
/** A cell as it comes back. */
const asRead = (value: unknown, kind: Kind): unknown => {
  if (value === null) return null;
  if (kind === "bool") return value === true || value === 1 ? 1 : 0;
  if (kind === "bytes") return Buffer.from(value as Uint8Array);
  if (kind === "u64") return String(value);
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
};

const names = Object.keys(kinds) as Kind[];
const every = { name: "every_kind", columns: Object.fromEntries(names.map((kind) => [`a_${kind}`, { kind }])) };
const columns = names.map((kind) => `a_${kind} ${kinds[kind].postgresql}`);
const row = fc.tuple(...names.map((kind) => fc.option(cells[kind], { freq: 8 })));

eachPostgres("rows in COPY's text", (open) => {
  test("come back as they were, whatever is in them", async () => {
    await using engine = closing(await postgresEngine((await open()).url()));
    await engine.run(sql`CREATE SCHEMA movedex`);
    await engine.run(verbatim(`CREATE TABLE every_kind (place bigint GENERATED ALWAYS AS IDENTITY, ${columns.join(", ")})`));
    const all = sql`SELECT ${verbatim(Object.keys(every.columns).join(", "))} FROM ${named("every_kind")} ORDER BY place`;
    await holdsFor(RUNS, [fc.array(row, { maxLength: 20 })], async (rows) => {
      await engine.run(sql`DELETE FROM every_kind`);
      await engine.transaction((tx) => tx.bulk(every, rows));
      expect(await engine.all(all)).toEqual(rows.map((cells) => cells.map((cell, i) => asRead(cell, names[i] as Kind))));
    });
  });

  test("are refused where a text has a zero in it, all of them", async () => {
    await using engine = await numbersEngine((await open()).url());
    const words = { name: "words", columns: { word: { kind: "text" } } } as const;
    await engine.run(sql`CREATE TABLE words (word text)`);
    const load = engine.transaction((tx) => tx.bulk(words, [["fine"], ["ze\0ro"]]));
    await expect(load).rejects.toMatchObject({ facts: { sqlState: "22021" } });
    expect(await engine.first(sql`SELECT count(*) FROM words`)).toEqual([0]);
  });
});

test("numbers that would not be exact are refused", () => {
  expect(() => copyCell(2 ** 53, "int")).toThrow("cannot be kept exactly");
  expect(() => copyCell(0.5, "int")).toThrow("cannot be kept exactly");
  expect(() => copyCell("1\t2", "u64")).toThrow(SyntaxError);
});
