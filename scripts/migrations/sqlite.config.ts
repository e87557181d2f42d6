import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "sqlite", schema: "./scripts/migrations/tables-sqlite.ts", out: "./migrations/sqlite" });
