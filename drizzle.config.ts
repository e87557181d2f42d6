import { defineConfig } from "drizzle-kit";

// The SQLite database; drizzle.postgresql.config.ts is PostgreSQL's. MOVEDEX_DB is the file that `drizzle-kit studio` and `pull` open.
export default defineConfig({
  dialect: "sqlite",
  schema: "./scripts/migrations/sqlite-tables.cjs",
  out: "./migrations/sqlite",
  dbCredentials: { url: process.env["MOVEDEX_DB"] ?? "movedex.db" },
});
