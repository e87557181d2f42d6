import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { createHashedFile } from "../../../../src/capabilities/export/drafts.ts";
import { rowWriter, type TableFormat } from "../../../../src/capabilities/export/tables/row-writer.ts";
import type { Table } from "../../../../src/capabilities/export/tables/table.ts";
import type { Cell } from "../../../../src/core/base/cell.ts";
import { readTable } from "../../../support/exchange/read-tables.ts";
import { temporaryDirectory, test } from "../../../support/index.ts";
import { holdsFor } from "../../../support/property/law.ts";

const table: Table = {
  name: "things",
  meaning: "things",
  columns: Object.entries({ title: "text", version: "integer", code: "u64", is_entry: "boolean", at: "time" } as const).map(
    ([name, type], at) => ({ name, type, meaning: `a ${type}`, source: { at } }),
  ),
};

const hostile = [
  ...['=HYPERLINK("http://evil")', "+1", "-1", "@SUM(A1)", "\tx", "\rx", 'a\nb,"c"'],
  ...["\u001b[31mred\u0007", "\u202egnp.exe", "it's; DROP TABLE things;--", "</script><b>&amp;*/`$x`", "", "0x1", "日本\u{1f600}"],
  "\u200b\u2028\ufeff",
];
const rows: Cell[][] = [
  ...hostile.map((text, i): Cell[] => [text, BigInt(i), BigInt(i), BigInt(i % 2), BigInt(i) * 86_400_001n]),
  [null, null, null, null, null],
  ["largest", 2n ** 63n - 1n, 2n ** 64n - 1n, 1n, 2n ** 63n - 1n],
  ["smallest", -(2n ** 63n), 0n, 0n, -(2n ** 63n)],
  ["first and last moments of a Date", 0n, 0n, 1n, 8_640_000_000_000_000n],
  ["", 0n, 0n, 0n, -8_640_000_000_000_000n],
];

function write(path: string, format: TableFormat, list: readonly Cell[][] = rows): string {
  const file = createHashedFile(path);
  const writer = rowWriter(format, table, file, "movedex test");
  for (let i = 0; i < list.length; i += 3) writer.rows(list.slice(i, i + 3));
  writer.end();
  file.close();
  return path;
}

/** Values as they are read: u64 as text. */
const comparable = (list: readonly Cell[][]): unknown[] =>
  list.map((row) => row.map((value, i) => (i === 2 && value !== null ? value.toString() : value)));

const readable = ["parquet", "jsonl"] as const;

describe("rowWriter", () => {
  test.each(readable)("writes %s from which the same values are read, hostile ones included", async (format) => {
    using place = temporaryDirectory();
    expect(comparable(await readTable(write(place.file("t"), format), format, table))).toEqual(comparable(rows));
    expect(await readTable(write(place.file("empty"), format, []), format, table)).toEqual([]);
  });

  test.each(readable)("writes %s from which any rows are read again, in bytes that the rows alone decide", async (format) => {
    const nullable = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { freq: 3 });
    const row = fc.tuple(
      nullable(fc.string({ unit: "grapheme" })),
      nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
      nullable(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
      nullable(fc.constantFrom(0n, 1n)),
      nullable(
        fc.oneof(
          fc.date({ noInvalidDate: true }).map((date) => BigInt(date.getTime())),
          fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        ),
      ),
    );
    await holdsFor(100, [fc.array(row, { maxLength: 60 })], async (list) => {
      using place = temporaryDirectory();
      const path = write(place.file("t"), format, list);
      expect(comparable(await readTable(path, format, table))).toEqual(comparable(list));
      expect(readFileSync(write(place.file("again"), format, list)).equals(readFileSync(path))).toBe(true);
    });
  });

  test("writes Parquet of more than one row group", async ({ place }) => {
    const many = Array.from({ length: 120_000 }, (_, i): Cell[] => [`text ${i % 100}`, BigInt(i), null, null, null]);
    expect((await readTable(write(place.file("t"), "parquet", many), "parquet", table)).map(([, version]) => version)).toEqual(
      many.map(([, version]) => version),
    );
  });

  test("writes CSV in which no cell begins like a formula", ({ place }) => {
    const text = readFileSync(write(place.file("t"), "csv"), "utf8");
    const titles = text
      .split("\r\n")
      .slice(1, 1 + hostile.length)
      .map((line) => line.replace(/^"/, ""));
    for (const title of titles) expect(title).not.toMatch(/^[=+\-@\t\r]/);
    expect(text.split("\r\n")[1]).toBe('"\'=HYPERLINK(""http://evil"")",0,0,false,1970-01-01T00:00:00.000Z');
    expect(text).toContain(`\r\n"",11,11,true,1970-01-12T00:00:00.011Z\r\n`);
    expect(text).toContain("\r\n,,,,\r\n");
  });

  test.each(["csv", "jsonl"] as const)("writes %s that a terminal shows and does not obey", (format) => {
    using place = temporaryDirectory();
    const text = readFileSync(write(place.file("t"), format), "utf8");
    expect(text.replaceAll(/[\r\n]/g, "")).not.toMatch(/[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u);
  });
});
