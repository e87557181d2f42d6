import { joined, named, type Sql, sql } from "./sql/sql.ts";
import { indexName, type TableData } from "./table.ts";
import { derivedTables } from "./tables/derived.ts";

type Index = { readonly name: string; readonly create: Sql; readonly drop: Sql };

const tables: readonly TableData[] = Object.values(derivedTables);

/** The indexes of derived tables that deriving does not need. They may be missing after a run that was killed while deriving. */
export const secondaryIndexes: readonly Index[] = tables.flatMap((table) =>
  (table.indexes ?? [])
    .filter(({ unique, isSought }) => !unique && !isSought)
    .map((index) => {
      const name = indexName(table, index);
      const columns = joined(index.columns.map(named), ", ");
      const create = sql`CREATE INDEX IF NOT EXISTS ${named(name)} ON ${named(table.name)} (${columns})`;
      return { name, create, drop: sql`DROP INDEX IF EXISTS ${named(name)}` };
    }),
);
