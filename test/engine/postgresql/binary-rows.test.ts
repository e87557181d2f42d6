import fc from "fast-check";
import { expect, test } from "vitest";
import { closing } from "../../../src/base/closing.ts";
import { BinaryRows } from "../../../src/engine/postgresql/binary-rows.ts";
import { postgresEngine } from "../../../src/engine/postgresql/postgresql-engine.ts";
import { type Kind, kinds } from "../../../src/schema/kinds.ts";
import { named, sql, verbatim } from "../../../src/schema/sql/sql.ts";
import { sized } from "../../run-size.ts";
import { eachPostgres } from "../support/postgres-databases.ts";

const RUNS = sized(20, 200);
const TWO_63 = 2n ** 63n;

// Of characters: what PostgreSQL keeps in a text is anything but zero.
const text = fc.string({ unit: "binary" }).map((some) => some.replaceAll("\0", ""));
const integer = fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -TWO_63, max: TWO_63 - 1n }));
const cells: { readonly [K in Kind]: fc.Arbitrary<unknown> } = {
  text,
  int: integer,
  version: integer,
  u64: fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom(0n, 9_999n, 10_000n, 10n ** 16n)),
  bytes: fc.uint8Array({ maxLength: 100_000, size: "max" }),
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

eachPostgres("rows in COPY's binary format", (open) => {
  test("come back as they were, whatever is in them", async () => {
    await using engine = closing(await postgresEngine((await open()).url()));
    await engine.run(sql`CREATE SCHEMA movedex`);
    await engine.run(verbatim(`CREATE TABLE every_kind (place bigint GENERATED ALWAYS AS IDENTITY, ${columns.join(", ")})`));
    const all = sql`SELECT ${verbatim(Object.keys(every.columns).join(", "))} FROM ${named("every_kind")} ORDER BY place`;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        await engine.run(sql`DELETE FROM every_kind`);
        expect(await engine.transaction((tx) => tx.bulk(every, rows))).toBe(rows.length);
        expect(await engine.all(all)).toEqual(rows.map((cells) => cells.map((cell, i) => asRead(cell, names[i] as Kind))));
      }),
      { numRuns: RUNS },
    );
  });
});

test("numbers that would not be exact are refused", () => {
  const add = (kind: Kind, value: unknown) => () => new BinaryRows([kind]).add([value]);
  expect(add("int", 2 ** 53)).toThrow("cannot be kept exactly");
  expect(add("int", 0.5)).toThrow("cannot be kept exactly");
  expect(add("version", TWO_63)).toThrow(RangeError);
  expect(add("u64", -1n)).toThrow("is not a u64");
});

test("chunks are of some 64 KiB, and one cell may be larger", () => {
  const rows = new BinaryRows(["bytes"]);
  let count = 0;
  for (; !rows.isFull; count++) rows.add([new Uint8Array(1_000)]);
  expect(rows.take().length).toBe(19 + count * 1_006);
  expect(count).toBeGreaterThan(60);
  rows.add([new Uint8Array(1_000_000)]);
  expect(rows.isFull).toBe(true);
  expect(rows.take().length).toBe(1_000_006);
  expect(rows.finish().toString("hex")).toBe("ffff");
});
