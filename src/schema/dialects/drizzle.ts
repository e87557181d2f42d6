import { createRequire } from "node:module";

/**
 * The one door to drizzle-orm, through its CommonJS build. Imported as ES modules its hundreds of files make Node read
 * the package's 179 KB description again for each: measured 0.62 s and 244 MB at every start, against 0.08 s and 22 MB this way.
 */
const load = createRequire(import.meta.url);

export const { and, asc, desc, eq, gt, gte, isNotNull, isNull, sql } = load("drizzle-orm") as typeof import("drizzle-orm");
export const { customType, foreignKey, index, primaryKey, sqliteTable, uniqueIndex } = load(
  "drizzle-orm/sqlite-core",
) as typeof import("drizzle-orm/sqlite-core");
export const { drizzle } = load("drizzle-orm/better-sqlite3") as typeof import("drizzle-orm/better-sqlite3");
export const { migrate } = load("drizzle-orm/better-sqlite3/migrator") as typeof import("drizzle-orm/better-sqlite3/migrator");
