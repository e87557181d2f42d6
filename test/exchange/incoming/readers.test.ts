import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { ByteWriter, parquetWrite } from "hyparquet-writer";
import { describe, expect } from "vitest";
import { createHashedFile } from "../../../src/exchange/hashed-file.ts";
import { readJsonl } from "../../../src/exchange/incoming/jsonl-reader.ts";
import { readParquet } from "../../../src/exchange/incoming/parquet-reader.ts";
import { deriveContent } from "../../../src/exchange/modules/read-modules.ts";
import { rowWriter } from "../../../src/exchange/tables/row-writer.ts";
import { archiveTableList, type Table } from "../../../src/exchange/tables/table.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";

const coverage = archiveTableList.find(({ name }) => name === "archive_coverage") as Table;
const gaps = archiveTableList.find(({ name }) => name === "archive_gaps") as Table;
const damaged = { code: "MOVEDEX_IMPORT_DAMAGED", exit: "corrupt" };

/** Reads a text as the rows of a table. */
async function jsonl(text: string, table: Table) {
  using place = temporaryDirectory();
  writeFileSync(place.file("t"), text);
  return await Array.fromAsync(readJsonl(place.file("t"), table));
}

async function drain(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows);
}

describe("readJsonl", () => {
  test.each([
    ["a cut line", '{"address":"0x1","from_version":1,"to_version":2}\n{"addr'],
    ["what is no JSON", "hello\n"],
    ["a list", "[]\n"],
    ["a missing column", '{"address":"0x1","from_version":1}\n'],
    ["a fraction", '{"address":"0x1","from_version":1.5,"to_version":2}\n'],
    ["a rounded integer", '{"address":"0x1","from_version":1e300,"to_version":2}\n'],
    ["a number as text column", '{"address":1,"from_version":1,"to_version":2}\n'],
    ["a list in a row", '{"address":"0x1","from_version":1,"to_version":2,"more":[]}\n'],
    ["very deep JSON", `{"address":"0x1","from_version":1,"to_version":2,"more":${"[".repeat(1_000_000)}\n`],
    [
      "very many values",
      `{"address":"0x1","from_version":1,"to_version":2${Array.from({ length: 300 }, (_, i) => `,"m${i}":0`).join("")}}\n`,
    ],
    ["a line without end", " ".repeat(65 * 1024 * 1024)],
    ["a prototype's field", '{"__proto__":{"address":"0x1"},"from_version":1,"to_version":2}\n'],
  ])("refuses %s", async (_, text) => {
    await expect(jsonl(text, coverage)).rejects.toMatchObject(damaged);
  });
});

describe("readJsonl, of booleans and times", () => {
  const gap = (is_final: unknown, first_at: unknown) =>
    JSON.stringify({ ledger_version: 1, address: "0x1", reason: "failed", message: "", attempts: 1, is_final, first_at, last_at: 0 });

  test.each([
    ["true and ISO text", true, "2023-11-14T22:13:20.123Z", [1n, 1_700_000_000_123n]],
    ["the numbers of earlier versions", 0, 1_700_000_000_123, [0n, 1_700_000_000_123n]],
  ])("reads %s", async (_, isFinal, firstAt, values) => {
    const [rows] = await jsonl(`${gap(isFinal, firstAt)}\n`, gaps);
    expect(rows?.[0]?.slice(7, 9)).toEqual(values);
  });

  test.each([
    ["2 as boolean", 2, 0],
    ["a text as boolean", "true", 0],
    ["a boolean as time", true, true],
    ["a day that no month has", true, "2023-02-31T25:13:20.123Z"],
    ["a time without its zone", true, "2023-11-14T22:13:20.123"],
    ["words", true, "yesterday"],
  ])("refuses %s", async (_, isFinal, firstAt) => {
    await expect(jsonl(`${gap(isFinal, firstAt)}\n`, gaps)).rejects.toMatchObject(damaged);
  });
});

describe("readParquet", () => {
  test("refuses times of another unit", async ({ place }) => {
    const writer = new ByteWriter();
    void parquetWrite({
      writer,
      schema: [
        { name: "archive_gaps", num_children: 1 },
        {
          name: "first_at",
          type: "INT64",
          repetition_type: "REQUIRED",
          logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
        },
      ],
      columnData: [{ name: "first_at", data: [1n] }],
      codec: "UNCOMPRESSED",
    });
    writeFileSync(place.file("t"), writer.getBytes());
    await expect(drain(readParquet(place.file("t"), gaps))).rejects.toThrow("`first_at` is of a kind that movedex does not write");
  });

  test("refuses cuts at every length and single changed bytes, with an error of ours", async ({ place }) => {
    const file = createHashedFile(place.file("whole"));
    const writer = rowWriter("parquet", gaps, file, "movedex test");
    for (let i = 0n; i < 40n; i++)
      writer.row([i, `0x${i + 1n}`, "failed", null, i % 3n === 0n ? null : 503n, "", i, i % 2n, i * 1000n, i * 2000n]);
    writer.end();
    file.close();
    const whole = readFileSync(place.file("whole"));
    for (let length = 0; length < whole.length; length += 7) {
      writeFileSync(place.file("cut"), whole.subarray(0, length));
      await expect(drain(readParquet(place.file("cut"), gaps))).rejects.toMatchObject(damaged);
    }
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] as number) ^ change;
        writeFileSync(place.file("changed"), changed);
        await drain(readParquet(place.file("changed"), gaps)).catch((error: unknown) => expect(error).toMatchObject(damaged));
      }),
      { numRuns: 200 },
    );
  });
});

describe("deriveContent", () => {
  const abi = JSON.stringify({ address: "0x1", name: "m", friends: [], exposed_functions: [], structs: [] });

  test("takes a node's ABI only for bytes that it cannot decode", () => {
    expect(deriveContent(Buffer.from("opaque"), abi).nodeAbi).toMatchObject({ address: "0x1", name: "m" });
    const deep = `${"[".repeat(1000)}${"]".repeat(1000)}`;
    const wide = abi.replace('"friends":[]', `"friends":[${"0,".repeat(2_000_000)}0]`);
    for (const text of [null, "{", "{}", "null", abi.replace('"structs":[]', `"structs":${deep}`), wide])
      expect(deriveContent(Buffer.from("opaque"), text)).not.toHaveProperty("nodeAbi");
  });
});
