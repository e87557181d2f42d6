import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "postgresql", schema: "./scripts/migrations/tables-postgresql.ts", out: "./migrations/postgresql" });
