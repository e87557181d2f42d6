import { defineConfig } from "drizzle-kit";

// As drizzle.config.ts, for PostgreSQL: `drizzle-kit studio --config drizzle.postgresql.config.ts` opens the database of DATABASE_URL.
export default defineConfig({
  dialect: "postgresql",
  schema: "./scripts/migrations/postgresql-tables.cjs",
  out: "./migrations/postgresql",
  schemaFilter: ["movedex"],
  dbCredentials: { url: process.env["DATABASE_URL"] ?? "postgres://localhost/movedex" },
});
