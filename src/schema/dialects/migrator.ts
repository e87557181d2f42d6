import { createRequire } from "node:module";

type Drizzle = typeof import("drizzle-orm/better-sqlite3");
type Connection = Extract<Parameters<Drizzle["drizzle"]>[0], { readonly prepare: unknown }>;

/**
 * Does an SQLite database's missing migrations in one transaction, by drizzle's migrator, loaded here only. The CommonJS build
 * takes 0.08 s and 22 MB; as ES modules its hundreds of files take 0.62 s and 244 MB.
 */
export function runSqliteMigrations(database: Connection, folder: string): void {
  const load = createRequire(import.meta.url);
  const { drizzle } = load("drizzle-orm/better-sqlite3") as Drizzle;
  const { migrate } = load("drizzle-orm/better-sqlite3/migrator") as typeof import("drizzle-orm/better-sqlite3/migrator");
  migrate(drizzle(database), { migrationsFolder: folder });
}
