import type { ReadOptions, WriteOptions } from "../database.ts";
import type { Engine } from "../engine.ts";
import { olderTables, placeError } from "../errors.ts";
import { readAddress } from "./address.ts";
import { type PostgresOptions, postgresEngine } from "./postgresql-engine.ts";
import { assertTables } from "./tables/expected-tables.ts";
import { installPostgresViews, type SchemaPlace } from "./tables/install-views.ts";
import { migratePostgres, readSchemaState, type SchemaState } from "./tables/migrate.ts";

/** How a database is opened: to write (its schema made when missing, migrated), or to read (never changed or made). */
export type OpenPostgresOptions = PostgresOptions &
  (Pick<WriteOptions, "mode" | "now" | "appVersion" | "viewsAnew"> | Pick<ReadOptions, "mode" | "isForeign">);

/** Opens a PostgreSQL database with today's tables and views. @throws StoreError; ConfigError for an address that cannot be read */
export async function openPostgres(text: string, options: OpenPostgresOptions): Promise<Engine> {
  const place = readAddress(text);
  const engine = await postgresEngine(text, options);
  try {
    if (options.mode === "write") {
      const { now, appVersion = "movedex", viewsAnew: anew = false } = options;
      await migratePostgres(engine, { ...place, now: now(), appVersion });
      await installPostgresViews(engine, { ...place, anew });
    } else {
      assertReadable(await readSchemaState(engine, place), place);
      if (options.isForeign) await assertTables(engine, place.label);
    }
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function assertReadable({ applied, known }: SchemaState, { schema, label }: SchemaPlace): void {
  if (applied === known) return;
  if (applied > 0) throw olderTables(label, applied, known, { schema });
  const text = `there is no schema \`${schema}\` of movedex in \`${label}\`. Name another database with --db, or make it with \`movedex sync\`.`;
  throw placeError(label, "MOVEDEX_STORE_MISSING", text, { schema, applied, known });
}
