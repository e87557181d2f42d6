import { describe, expect, test } from "vitest";
import { openExport } from "../../../src/exchange/incoming/read-export.ts";

const LARGEST = (2n ** 64n - 1n).toString();
const bytes = (value: number, length = 32) => new Uint8Array(length).fill(value);
const sha256 = "ab".repeat(32);

/** What both fixtures hold. They were written by the last build that gave booleans and times as plain numbers. */
const held: Readonly<Record<string, unknown[][]>> = {
  archive_snapshots: [
    [
      ...[500000n, "sealed_with_gaps", 1_700_000_000_123n, 1_700_000_060_000n, 500001n, 1000n, LARGEST, 1n, 1n, 1n, 2n, 1n],
      ...[bytes(0x5f), "7", "8", null, 0n, 42n],
    ],
  ],
  archive_gaps: [
    [500000n, "0x2", "failed", "E_X", 503n, "down", 3n, 0n, 1_700_000_001_000n, 1_700_000_002_001n],
    [500000n, "0x3", "pruned", null, null, "gone", 1n, 1n, 0n, 1n],
  ],
  archive_coverage: [["0x1", 500000n, 500000n]],
  archive_record_coverage: [["0x1", 500000n, 500000n]],
  archive_accounts: [["0x1", 500000n, 500000n, LARGEST, bytes(1), null]],
  archive_modules: [["0x1", "coin", 500000n, 500000n, sha256]],
  archive_module_probes: [["0x1", "coin", 400000n, null, null]],
  archive_account_probes: [["0x1", 400000n, "3", bytes(2), "node"]],
  archive_bytecodes: [[sha256, bytes(9, 5), null]],
};

describe("openExport", () => {
  test.each(["parquet", "jsonl"])("reads an export in %s of the version before, whose booleans and times are numbers", async (format) => {
    const { chainId, rows } = await openExport(new URL(`../fixtures/export-0.1.0/${format}`, import.meta.url).pathname);
    expect(chainId).toBe(4);
    const found: Record<string, unknown[][]> = {};
    for await (const { table, rows: list } of rows()) found[table] = [...(found[table] ?? []), ...list.map((row) => row.map(plain))];
    expect(found).toEqual(held);
  });
});

/** The Parquet reader's bytes may be a Buffer. */
function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Uint8Array.from(value) : value;
}
