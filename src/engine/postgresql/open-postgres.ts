import type { Engine } from "../engine.ts";
import { olderTables, StoreError } from "../errors.ts";
import { readAddress } from "./address.ts";
import { type PostgresOptions, postgresEngine } from "./postgresql-engine.ts";
import { installPostgresViews } from "./tables/install-views.ts";
import { migratePostgres, readSchemaState } from "./tables/migrate.ts";

/** How a database is opened: to write (its schema made when missing, migrated), or to read (never changed or made). */
export type OpenPostgresOptions = PostgresOptions & {
  readonly mode: "write" | "read";
  readonly now: () => number;
  readonly appVersion?: string;
  readonly viewsAnew?: boolean;
};

/**
 * Opens a PostgreSQL database, ready to use, with today's tables and views.
 * @throws StoreError; ConfigError for an address that cannot be read
 */
export async function openPostgres(text: string, options: OpenPostgresOptions): Promise<Engine> {
  const { mode, now, appVersion = "movedex", env = {} } = options;
  const address = readAddress(text, env);
  const { label } = address;
  const schema = options.schema ?? address.schema;
  const migration = { schema, label, now: now(), appVersion };
  const engine = await postgresEngine(text, options);
  try {
    if (mode === "write") {
      await migratePostgres(engine, migration);
      await installPostgresViews(engine, { ...migration, anew: options.viewsAnew === true });
    } else assertReadable(await readSchemaState(engine, migration), schema, label);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function assertReadable({ applied, known }: { readonly applied: number; readonly known: number }, schema: string, label: string): void {
  if (applied === known) return;
  if (applied > 0) throw olderTables(label, applied, known, { schema });
  const text = `there is no schema \`${schema}\` of movedex in \`${label}\`. Name another database with --db, or make it with \`movedex sync\`.`;
  throw new StoreError("MOVEDEX_STORE_MISSING", text, { facts: { path: label, schema, applied, known } });
}
