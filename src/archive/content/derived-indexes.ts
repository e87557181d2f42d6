import type { Engine } from "../../engine/engine.ts";
import { looseIndexes } from "../../schema/derived-indexes.ts";
import { addReference, bulkSettings, dropReference } from "../../schema/sql/functions.ts";
import { verbatim } from "../../schema/sql/sql.ts";
import { referenceName, referencesOf, type TableData } from "../../schema/table.ts";
import { derivedTables } from "../../schema/tables/derived.ts";

const references = Object.values<TableData>(derivedTables).flatMap((table) =>
  referencesOf(table).map((reference) => ({ name: referenceName(table.name, reference), table: table.name, ...reference })),
);

/**
 * Takes away the indexes of derived tables that deriving itself does not need, and the checks of what their rows refer to. To keep
 * the indexes up row by row costs more than all the rows, and to make them at the end a sixth of that; checks cost a fifth of the rows.
 */
export async function beginManyRows(engine: Engine): Promise<void> {
  await change(engine, "begin");
  for (const { drop } of looseIndexes) await engine.run(drop);
  for (const reference of references) await engine.run(dropReference(reference));
}

/** Makes the indexes and checks that are missing. */
export async function endManyRows(engine: Engine): Promise<void> {
  for (const { create } of looseIndexes) await engine.run(create);
  for (const reference of references) await engine.run(addReference(reference));
  await change(engine, "end");
}

async function change(engine: Engine, when: "begin" | "end"): Promise<void> {
  for (const setting of bulkSettings[engine.dialect][when]) await engine.run(verbatim(setting));
}
