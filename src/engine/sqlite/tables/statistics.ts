import type { Database } from "better-sqlite3";
import { indexName, type TableData } from "../../../schema/table.ts";
import { derivedTables } from "../../../schema/tables/derived.ts";

/** What very many rows refer to, a few of them most: `u64`, modules of the framework, functions that raise errors. */
const SHARED: ReadonlySet<string> = new Set(["_types", "_modules", "_called_functions"]);

/**
 * Queries often name common values, so the statistics state a multiple of the average. With the plain average SQLite chose worse plans for
 * large archives.
 */
const COMMON = 32n;

const shared = Object.values<TableData>(derivedTables).flatMap((table) =>
  (table.indexes ?? []).flatMap((index) => {
    const parent = table.columns[index.columns[0] as string]?.references;
    if (index.columns.length > 1 || parent === undefined || !SHARED.has(parent)) return [];
    return [{ index: indexName(table, index), parent }];
  }),
);

/**
 * Renews the statistics of the query planner where tables have grown. SQLite reads the first rows of an index, which are those of the
 * types that came first and are the commonest: it took each type for one of 1,439 parameters, where there are five, and scanned
 * everything to find the users of a struct. The rows for one entry of such an index are written from the numbers of rows in their stead.
 */
export function renewStatistics(database: Database): void {
  database.pragma("optimize");
  const hasAny = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'").get() !== undefined;
  if (!hasAny) return;
  const write = database.prepare<{ index: string; parent: string; common: bigint }>(`
    UPDATE sqlite_stat1 AS i SET stat = n.stat
    FROM (SELECT q.idx, q.have || ' ' || max(1, min(q.have, :common * q.have / max(1, q.known))) AS stat
      FROM (SELECT c.idx, CAST(c.stat AS INTEGER) AS have, max(CAST(p.stat AS INTEGER)) AS known
        FROM sqlite_stat1 c JOIN sqlite_stat1 p ON p.tbl = :parent WHERE c.idx = :index GROUP BY c.idx, c.stat) AS q) AS n
    WHERE i.idx = n.idx AND i.stat <> n.stat`);
  for (const { index, parent } of shared) write.run({ index, parent, common: COMMON });
}
