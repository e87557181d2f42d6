import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { addReference, checkReferences, dropReference } from "../../schema/sql/words.ts";
import { indexName, referenceName, type TableData } from "../../schema/table.ts";
import { derivedTables } from "../../schema/tables/derived.ts";
import type { Engine } from "../engine/engine.ts";

type Index = { readonly name: string; readonly create: Sql; readonly drop: Sql };

const tables: readonly TableData[] = Object.values(derivedTables);
const loose: readonly Index[] = tables.flatMap((table) =>
  table.indexes
    .filter(({ unique, isSought }) => !unique && !isSought)
    .map((index) => {
      const name = indexName(table, index);
      const columns = joined(index.columns.map(named), ", ");
      const create = sql`CREATE INDEX IF NOT EXISTS ${named(name)} ON ${named(table.name)} (${columns})`;
      return { name, create, drop: sql`DROP INDEX IF EXISTS ${named(name)}` };
    }),
);
const references = tables.flatMap(({ name: table, columns }) =>
  Object.entries(columns).flatMap(([column, { references: parent }]) =>
    parent === undefined ? [] : [{ name: referenceName(table, column, parent), table, column, parent }],
  ),
);

/** Indexes that may be missing: after a run that was killed while it derived many rows. */
export const looseIndexes: ReadonlySet<string> = new Set(loose.map(({ name }) => name));

/**
 * Takes away the indexes of derived tables that deriving itself does not need, and the checks of what their rows refer to. To keep
 * the indexes up row by row costs more than all the rows, and to make them at the end a sixth of that; checks cost a fifth of the rows.
 */
export async function beginManyRows(engine: Engine): Promise<void> {
  await engine.run(checkReferences(false));
  for (const { drop } of loose) await engine.run(drop);
  for (const reference of references) await engine.run(dropReference(reference));
}

/** Makes the indexes and checks that are missing. */
export async function endManyRows(engine: Engine): Promise<void> {
  for (const create of createLooseIndexes) await engine.run(create);
  for (const reference of references) await engine.run(addReference(reference));
  await engine.run(checkReferences(true));
}

/** The statements that make the indexes, each by itself. */
export const createLooseIndexes: readonly Sql[] = loose.map(({ create }) => create);
