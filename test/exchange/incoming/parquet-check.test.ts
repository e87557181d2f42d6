import { readFileSync, writeFileSync } from "node:fs";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { ByteWriter, parquetWrite } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { createHashedFile } from "../../../src/exchange/hashed-file.ts";
import { readParquet } from "../../../src/exchange/incoming/parquet-reader.ts";
import { checkThrift } from "../../../src/exchange/parquet/thrift-check.ts";
import { rowWriter } from "../../../src/exchange/tables/row-writer.ts";
import { archiveTableList, type Table } from "../../../src/exchange/tables/table.ts";
import { sized } from "../../run-size.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const tableOf = (name: string): Table => archiveTableList.find((table) => table.name === name) as Table;
const coverage = tableOf("archive_coverage");
const probes = tableOf("archive_module_probes");

/** What reading a file comes to: its number of rows, or why it is damaged. Any other error goes through. */
async function reading(bytes: Uint8Array, table: Table): Promise<number | string> {
  using place = temporaryDirectory();
  writeFileSync(place.file("t"), bytes);
  let count = 0;
  try {
    for await (const rows of readParquet(place.file("t"), table)) count += rows.length;
    return count;
  } catch (error) {
    expect(error).toMatchObject({ code: "MOVEDEX_IMPORT_DAMAGED", exit: "corrupt" });
    return (error as Error).message;
  }
}

function written(rows: number): Uint8Array {
  using place = temporaryDirectory();
  const file = createHashedFile(place.file("t"));
  const writer = rowWriter("parquet", probes, file, "movedex test");
  for (let i = 0n; i < rows; i++) writer.row([`0x${i % 7n}`, "m", i, i % 3n === 0n ? null : "ab".repeat(32)]);
  writer.end();
  file.close();
  return readFileSync(place.file("t"));
}

/** Equal rows, as another writer packs them: some kilobytes for millions. */
function repeated(rows: number, options: object = {}): Uint8Array {
  const writer = new ByteWriter();
  const versions = { data: new Array<bigint>(rows).fill(1n), type: "INT64", nullable: false, encoding: "RLE_DICTIONARY" } as const;
  const columnData = [
    { name: "address", data: new Array<string>(rows).fill("0x1"), type: "STRING" as const, nullable: false },
    ...["from_version", "to_version"].map((name) => ({ name, ...versions })),
  ];
  void parquetWrite({
    writer,
    columnData,
    codec: "ZSTD",
    compressors: { ZSTD: (input) => zstdCompressSync(input) },
    rowGroupSize: rows,
    ...options,
  });
  return new Uint8Array(writer.getBuffer());
}

describe("readParquet", () => {
  test("reads what movedex writes, nulls and several row groups included", async () => {
    expect(await reading(written(25_000), probes)).toBe(25_000);
    expect(await reading(written(0), probes)).toBe(0);
  });

  test("refuses a row group of more rows than are read at once, however small the file", async () => {
    const bytes = repeated(2_000_000);
    expect(bytes.length).toBeLessThan(100_000);
    expect(await reading(bytes, coverage)).toContain("a row group of 2000000 rows, and at most 100000 are read at once");
  });

  test("refuses a file that is packed or encoded as movedex does not write", async () => {
    expect(await reading(repeated(100), coverage)).toBe(100);
    expect(await reading(repeated(100, { codec: "SNAPPY" }), coverage)).toContain("packed as SNAPPY; what is read is ZSTD, or not packed");
  });

  test("lets no changed byte of the footer, of a page header or of a page become another error, or more rows", async () => {
    const whole = written(60);
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const bytes = Uint8Array.from(whole);
        for (const [at, value] of list) bytes[at] = value;
        const result = await reading(bytes, probes);
        if (typeof result === "number") expect(result).toBeLessThanOrEqual(60);
      }),
      { numRuns: sized(500, 1500) },
    );
  }, 60_000);
});

describe("checkThrift", () => {
  // A structure with field 1 of each type: a byte of field delta and type, the value, and the end.
  const field = (type: number, ...value: number[]): Uint8Array => Uint8Array.of(0x10 | type, ...value, 0);

  test.each([
    ["a text", field(8, 2, 0x61, 0x62), 5],
    ["a list of numbers", field(9, 0x25, 1, 2), 5],
    ["a structure in another", field(12, 0x15, 1, 0), 5],
    ["a truth", field(1), 2],
  ])("accepts %s and says where it ends", (_, bytes, end) => {
    expect(checkThrift(Uint8Array.of(...bytes, 0xff), 0)).toBe(end);
  });

  test.each([
    ["a text beyond the end", field(8, 0xff, 0xff, 0xff, 0xff, 0x0f), "bytes wanted"],
    ["a list of more elements than bytes", field(9, 0xf5, 0xff, 0xff, 0xff, 0x07), "a list of 16777215 where"],
    ["an endless number", field(6, ...new Array<number>(5_000).fill(0x80)), "a number of more than 10 bytes"],
    ["endless nesting", new Uint8Array(100_000).fill(0x1c), "nested more than 16 deep"],
    ["lists in lists", new Uint8Array(100_000).fill(0x19), "nested more than 16 deep"],
    ["an unknown type", field(13), "unknown type 13"],
    ["no end", Uint8Array.of(0x15, 1), "bytes wanted"],
  ])("refuses %s", (_, bytes, why) => {
    expect(() => checkThrift(bytes, 0)).toThrow(why);
  });
});
