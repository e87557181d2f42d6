import { CHAIN_COLUMN, type Table, type Value } from "./table.ts";

/** Columns whose values stand in the paths of a partitioned table, in the order of the folders. */
const KEYS: readonly string[] = [CHAIN_COLUMN, "ledger_version"];

/** A table as its partitions hold it: without the columns that their paths tell, as Hive has it. */
export function partitionTable({ columns, ...table }: Table): Table {
  return { ...table, columns: columns.filter(({ name }) => !KEYS.includes(name)) };
}

/** The rows of a table as rows of `partitionTable`. */
export async function* partitionRows({ columns }: Table, rows: AsyncIterable<readonly Value[]>): AsyncGenerator<readonly Value[]> {
  const kept = columns.flatMap(({ name }, i) => (KEYS.includes(name) ? [] : [i]));
  for await (const row of rows) yield kept.map((i) => row[i] ?? null);
}

/**
 * The path of a partition in its part.
 * @example
 * partitionPath("gaps", 4, 123n, ".csv") // "gaps/chain_id=4/ledger_version=123/gaps.csv"
 */
export function partitionPath(table: string, chainId: number, version: bigint, ending: string): string {
  return `${table}/chain_id=${chainId}/ledger_version=${version}/${table}${ending}`;
}
