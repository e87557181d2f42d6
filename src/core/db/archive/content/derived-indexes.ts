import type { Engine } from "../../engine/engine.ts";
import { countOf } from "../../engine/row-shape.ts";
import { addReference, bulkSettings, contentTurn, dropReference } from "../../schema/sql/functions.ts";
import { uncounted } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { referenceName, referencesOf, type TableData } from "../../schema/table.ts";
import { derivedTables, secondaryIndexes } from "../../schema/tables/derived.ts";

const references = Object.values<TableData>(derivedTables).flatMap((table) =>
  referencesOf(table).map((reference) => ({ name: referenceName(table.name, reference), table: table.name, ...reference })),
);

/** The fewest bytecodes that are worth making indexes again. */
const BULK = 400;

const abis = sql`SELECT count(*) FROM _abis`;

/**
 * Whether a run adds more bytecodes than were stored, and many, so that it drops indexes and makes them again. `own`: how many of the
 * stored ones are its own.
 */
export async function isBulk(engine: Engine, bytecodes: number, own = 0): Promise<boolean> {
  return bytecodes > BULK && bytecodes > (await countOf(engine, abis)) - own;
}

/** Whether a run of so many accounts writes the first rows of a database, and many. */
export async function isFirst(engine: Engine, accounts: number): Promise<boolean> {
  return accounts > BULK && (await countOf(engine, abis)) === 0;
}

/** Takes away indexes and references that deriving does not need: making them at the end costs a sixth of keeping them up. */
export async function beginManyRows(engine: Engine): Promise<void> {
  for (const setting of bulkSettings.begin) await engine.run(setting);
  for (const { drop } of secondaryIndexes) await inTurn(engine, drop);
  for (const reference of references) await inTurn(engine, dropReference(reference));
}

/** Makes them again, and counts types where that waited for them. */
export async function endManyRows(engine: Engine): Promise<void> {
  for (const setting of bulkSettings.indexes) await engine.run(setting);
  for (const { create } of secondaryIndexes) await inTurn(engine, create);
  for (const reference of references) await inTurn(engine, addReference(reference));
  for (const setting of bulkSettings.end) await engine.run(setting);
  if ((await engine.first(uncounted)) !== undefined) await (await import("./type-counts.ts")).fillCounts(engine);
}

/** Changes a table while nobody writes content: else each might wait for a table that the other has. */
async function inTurn(engine: Engine, change: Sql): Promise<void> {
  await engine.transaction(async (tx) => {
    await tx.all(contentTurn);
    await tx.run(change);
  });
}
