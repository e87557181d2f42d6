import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { indexName, type TableData } from "../../schema/table.ts";
import { derivedTables } from "../../schema/tables/derived.ts";
import type { Engine } from "../engine/engine.ts";

type Index = { readonly name: string; readonly create: Sql; readonly drop: Sql };

const loose: readonly Index[] = Object.values(derivedTables as Readonly<Record<string, TableData>>).flatMap((table) =>
  table.indexes
    .filter(({ unique, isSought }) => !unique && !isSought)
    .map((index) => {
      const name = indexName(table, index);
      const columns = joined(index.columns.map(named), ", ");
      const create = sql`CREATE INDEX IF NOT EXISTS ${named(name)} ON ${named(table.name)} (${columns})`;
      return { name, create, drop: sql`DROP INDEX IF EXISTS ${named(name)}` };
    }),
);

/** Indexes that may be missing: after a run that was killed while it derived many rows. */
export const looseIndexes: ReadonlySet<string> = new Set(loose.map(({ name }) => name));

/**
 * Takes away the indexes of derived tables that deriving itself does not need. Their keys are names and numbers of other
 * modules, in no order: to keep them up row by row costs more than all the rows, to make them at the end a sixth of that.
 */
export async function dropLooseIndexes(engine: Engine): Promise<void> {
  for (const { drop } of loose) await engine.run(drop);
}

/** Makes those that are missing. */
export async function makeLooseIndexes(engine: Pick<Engine, "run">): Promise<void> {
  for (const create of createLooseIndexes) await engine.run(create);
}

/** The statements that do so, each by itself. */
export const createLooseIndexes: readonly Sql[] = loose.map(({ create }) => create);
