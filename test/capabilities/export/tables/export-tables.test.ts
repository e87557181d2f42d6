import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, describe, expect } from "vitest";
import { openExportDirectory } from "../../../../src/capabilities/export/export-directory.ts";
import {
  exportTables,
  type SnapshotFacts,
  snapshotsToExport,
  type TableSource,
} from "../../../../src/capabilities/export/tables/export-tables.ts";
import type { TableFormat } from "../../../../src/capabilities/export/tables/row-writer.ts";
import { type Column, type Table, viewTableList } from "../../../../src/capabilities/export/tables/table.ts";
import type { Cell } from "../../../../src/core/base/cell.ts";
import { temporaryDirectory, test } from "../../../support/index.ts";

const NOON = 1_700_049_600_123n; // 2023-11-15T12:00:00.123Z
const VERSIONS = [100n, 2n ** 53n + 1n];

const snapshots = VERSIONS.map(
  (ledgerVersion): SnapshotFacts => ({ ledgerVersion, status: "sealed", accounts: 1, modules: 1, gaps: 0, digest: "ab".repeat(32) }),
);

/** A value of a column's type, `i` of the row. Texts are of digits only, as addresses often are. */
function cellOf({ name, type }: Column, version: bigint, i: number): Cell {
  if (name === "chain_id") return 4n;
  if (name === "ledger_version") return version;
  // As SQLite's views have it, and as the tables of the archive do.
  if (type === "time" && i > 0) return new Date(Number(NOON) + i).toISOString();
  return {
    text: `0x${i}`,
    integer: BigInt(i),
    u64: 2n ** 64n - 1n,
    boolean: BigInt(i % 2),
    time: NOON + BigInt(i),
  }[type];
}

const tableOf = (wanted: string): Table => viewTableList.find(({ name }) => name === wanted) as Table;

/** Three rows of every view at every version. */
const source: TableSource = {
  derivations: async () => "",
  cellSources: async (name) => tableOf(name).columns.map((column) => column.source),
  viewRows: async function* (name, versions = VERSIONS.slice(0, 1)) {
    const { columns } = tableOf(name);
    for (const version of versions) yield [0, 1, 2].map((i) => columns.map((column) => cellOf(column, version, i)));
  },
};

async function exported(
  directory: string,
  format: TableFormat,
  isPartitioned = false,
  chosen: readonly SnapshotFacts[] = snapshots,
  from: TableSource = source,
  tables: readonly Table[] = viewTableList,
): Promise<number> {
  const request = { format, tables, isPartitioned };
  const target = openExportDirectory(directory);
  const wanted = snapshotsToExport(target, request, snapshots, chosen);
  const { files } = await exportTables(target, from, { ...request, chainId: 4, snapshots: wanted, movedexVersion: "test" });
  return files.length;
}

const duck = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
afterAll(() => duck.closeSync());
/** What DuckDB answers, as JSON has it. */
const ask = async (sql: string): Promise<unknown[]> => (await duck.runAndReadAll(`SET TimeZone = 'UTC'; ${sql}`)).getRowsJson();

/** What a selection from a CSV file gives, by the types that stand beside it. */
const typed = (path: string, selection: string): Promise<unknown[]> =>
  ask(`SET VARIABLE types = (SELECT duckdb_types FROM read_json('${path}.schema.json'));
    ${selection} FROM read_csv('${path}.csv', types = getvariable('types'), allow_quoted_nulls = false)`);

const TIME = "TIMESTAMP WITH TIME ZONE";
const duckTypes = { text: "VARCHAR", integer: "BIGINT", u64: "UBIGINT", boolean: "BOOLEAN", time: TIME } as const;

const typesOf = (described: unknown[]): unknown => Object.fromEntries((described as string[][]).map(([name, type]) => [name, type]));
const wanted = ({ columns }: Table): unknown => Object.fromEntries(columns.map(({ name, type }) => [name, duckTypes[type]]));

describe("exportTables", () => {
  test("gives every column of every table in Parquet the type that it has, and its meaning", async ({ place }) => {
    await exported(place.file("t"), "parquet");
    for (const table of viewTableList) {
      const file = place.file(`t/part-000001/${table.name}.parquet`);
      expect(typesOf(await ask(`DESCRIBE SELECT * FROM '${file}'`))).toEqual(wanted(table));
      const meanings = await ask(`SELECT decode(key), decode(value) FROM parquet_kv_metadata('${file}')`);
      expect(meanings).toEqual([["meaning", table.meaning], ...table.columns.map(({ name, meaning }) => [`meaning:${name}`, meaning])]);
    }
  }, 60_000);

  test.each(["parquet", "jsonl", "csv"] as const)("lets DuckDB filter by a boolean and cut a time to its day, in %s", async (format) => {
    using place = temporaryDirectory();
    await exported(place.file("t"), format, false, snapshots, source, ["functions_at", "snapshots"].map(tableOf));
    const read = (name: string) => `'${place.file(`t/part-*/${name}.${format}`)}'`;
    expect(await ask(`SELECT count(*) FROM ${read("functions_at")} WHERE is_entry`)).toEqual([["2"]]);
    const day = "strftime(date_trunc('day', created_at), '%Y-%m-%d %H:%M')";
    expect(await ask(`SELECT DISTINCT ${day}, created_at < current_date FROM ${read("snapshots")}`)).toEqual([["2023-11-15 00:00", true]]);
    expect(await ask(`SELECT max(epoch_ms(created_at)) FROM ${read("snapshots")}`)).toEqual([[`${NOON + 2n}`]]);
  });

  test("describes CSV beside it, so that addresses stay texts", async ({ place }) => {
    await exported(place.file("t"), "csv");
    for (const table of viewTableList) {
      const path = place.file(`t/part-000001/${table.name}`);
      const schema = JSON.parse(readFileSync(`${path}.schema.json`, "utf8")) as { fields: { name: string; description: string }[] };
      expect(schema.fields.map(({ name, description }) => [name, description])).toEqual(
        table.columns.map(({ name, meaning }) => [name, meaning]),
      );
      expect(typesOf(await typed(path, "DESCRIBE SELECT *"))).toEqual(wanted(table));
    }
    const path = place.file("t/part-000001/accounts_at");
    expect(await ask(`SELECT typeof(address) FROM '${path}.csv' LIMIT 1`)).toEqual([["BIGINT"]]);
    expect((await typed(path, "SELECT DISTINCT address")).sort()).toEqual([["0x0"], ["0x1"], ["0x2"]]);
  }, 60_000);

  test.each([
    ["parquet", "read_parquet"],
    ["jsonl", "read_json"],
    ["csv", "read_csv"],
  ] as const)("partitions %s by chain and snapshot, as DuckDB reads it", async (format, read) => {
    using place = temporaryDirectory();
    await exported(place.file("t"), format, true, snapshots, source, [tableOf("functions_at")]);
    const part = place.file("t/part-000001");
    expect(readdirSync(join(part, "functions_at", "chain_id=4"))).toEqual(VERSIONS.map((version) => `ledger_version=${version}`));
    const file = `functions_at/chain_id=4/ledger_version=100/functions_at.${format}`;
    expect(await ask(`SELECT name FROM (DESCRIBE SELECT * FROM ${read}('${part}/${file}', hive_partitioning = false)) AS t(name)`)).toEqual(
      tableOf("functions_at")
        .columns.slice(2)
        .map(({ name }) => [name]),
    );
    const glob = `${read}('${place.file("t")}/part-*/functions_at/*/*/*.${format}', hive_partitioning = true)`;
    expect(
      await ask(`SELECT chain_id, ledger_version, count(*), count(*) FILTER (is_entry) FROM ${glob} GROUP BY ALL ORDER BY ALL`),
    ).toEqual(VERSIONS.map((version) => ["4", `${version}`, "3", "1"]));
    expect(await ask(`SELECT count(*) FROM ${glob} WHERE ledger_version = 100`)).toEqual([["3"]]);
  });

  test.each([true, false])("leaves what was there where it fails; with a part: %s", async (hasPart) => {
    using place = temporaryDirectory();
    const directory = place.file("t");
    if (hasPart) await exported(directory, "csv", false, snapshots.slice(0, 1));
    const names = () => readdirSync(place.path, { recursive: true }).sort();
    const before = names();
    const failing: TableSource = {
      ...source,
      viewRows: async function* (name, versions) {
        yield* source.viewRows(name, versions);
        if (name === "functions_at") throw new Error("gone");
      },
    };
    await expect(exported(directory, "csv", false, snapshots, failing)).rejects.toThrow("gone");
    expect(names()).toEqual(before);
  });

  test("reads the rows of a large table again only where what they follow from is other", async ({ place }) => {
    const read: string[] = [];
    const counting = (version: string): TableSource => ({
      ...source,
      derivations: async () => version,
      viewRows: async function* (name, versions) {
        read.push(name);
        yield* source.viewRows(name, versions);
      },
    });
    const again = async (version: string) => {
      read.length = 0;
      return [await exported(place.file("d"), "jsonl", false, snapshots, counting(version)), read.includes("functions_history")];
    };
    expect((await again("a"))[1]).toBe(true);
    expect(await again("a")).toEqual([0, false]);
    expect(await again("b")).toEqual([0, true]);
  });

  test("gives the same bytes for the same rows", async ({ place }) => {
    for (const format of ["parquet", "csv", "jsonl"] as const) {
      for (const name of ["a", "b"]) await exported(place.file(`${format}-${name}`), format, true);
      const manifest = (name: string) => readFileSync(place.file(`${format}-${name}/manifest-000001.json`), "utf8");
      expect(manifest("a")).toBe(manifest("b"));
    }
  });
});
