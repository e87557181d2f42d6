import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "sqlite", schema: "./scripts/drizzle-tables.ts", out: "./migrations/sqlite" });
