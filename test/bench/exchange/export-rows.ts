// Many made-up rows through each format of tables: time, and memory as rows grow. Each line is a process of its own.
//   npx node test/bench/exchange/export-rows.ts

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256Hex } from "../../../src/base/sha256.ts";
import { readExportDirectory } from "../../../src/exchange/export-directory.ts";
import { exportTables } from "../../../src/exchange/tables/export-tables.ts";
import type { TableSource } from "../../../src/exchange/tables/plan-export.ts";
import type { TableFormat } from "../../../src/exchange/tables/row-writer.ts";
import type { Value } from "../../../src/exchange/tables/table.ts";
import { describeMachine } from "../machine.ts";

const [, , format, count] = process.argv;
if (format !== undefined) await measure(format as TableFormat, Number(count));
else {
  console.log(`${describeMachine()}\n\n| format | rows | s | rows/s | size | peak resident memory |\n|---|---|---|---|---|---|`);
  for (const each of ["parquet", "jsonl", "csv", "sql"]) {
    for (const rows of [10_000, 100_000, 1_000_000, 3_000_000])
      spawnSync(process.execPath, [fileURLToPath(import.meta.url), each, String(rows)], { stdio: "inherit" });
  }
}

async function measure(format: TableFormat, rows: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "movedex-bench-"));
  const source: TableSource = { archiveRows: (table) => moduleRows(table === "archive_modules" ? rows : 0), viewRows: () => moduleRows(0) };
  const started = performance.now();
  await exportTables(readExportDirectory(folder), source, {
    format,
    families: ["archive"],
    isPartitioned: false,
    chainId: 4,
    plan: { snapshots: [], given: [], givenExtras: new Set(), replaces: [], state: "0".repeat(64) },
    movedexVersion: "bench",
  });
  const seconds = (performance.now() - started) / 1000;
  const endings = { parquet: ".parquet", jsonl: ".jsonl", csv: ".csv", sql: ".sql" };
  const size = statSync(join(folder, "part-000001", `archive_modules${endings[format]}`)).size;
  rmSync(folder, { recursive: true, force: true });
  const peak = process.resourceUsage().maxRSS / 1000;
  console.log(
    `| ${format} | ${rows} | ${seconds.toFixed(1)} | ${Math.round(rows / seconds)} | ${(size / 1e6).toFixed(1)} MB | ${peak.toFixed(0)} MB |`,
  );
}

async function* moduleRows(count: number): AsyncGenerator<Value[]> {
  for (let i = 0; i < count; i++)
    yield [`0x${sha256Hex(`account ${i >> 3}`)}`, `module_${i & 7}`, 1000n, 2000n, sha256Hex(`code ${i % 5000}`)];
}
