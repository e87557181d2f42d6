import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { openPostgres } from "../../../src/capabilities/postgresql/open-server.ts";
import { openSqlite } from "../../../src/core/db/engine/sqlite/open-sqlite.ts";
import { viewNames } from "../../../src/core/db/schema/view-statements.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { runProcess, temporaryDirectory, test } from "../../support/index.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const kit = (cwd: string, ...args: string[]) =>
  runProcess(process.execPath, [join(root, "node_modules/drizzle-kit/bin.cjs"), ...args], { cwd });
const names = (dialect: "sqlite" | "postgresql"): string[] => [...viewNames(dialect)].sort();

/** The views of which `drizzle-kit pull` makes a schema in a project elsewhere. */
async function pulledViews(config: Readonly<Record<string, unknown>>): Promise<string[]> {
  using directory = temporaryDirectory();
  symlinkSync(join(root, "node_modules"), directory.file("node_modules"));
  writeFileSync(directory.file("drizzle.config.json"), JSON.stringify({ out: "out", ...config }));
  const { code, stdout, stderr } = await kit(directory.path, "pull", "--config", "drizzle.config.json");
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
  const schema = readFileSync(directory.file("out/schema.ts"), "utf8");
  const exported = [...schema.matchAll(/^export const (\w+)/gm)].map(([, name]) => name as string);
  expect(exported.length).toBeGreaterThan(10);
  expect(exported).toEqual([...new Set(exported)]);
  return [...schema.matchAll(/[vV]iew\("(\w+)"/g)].map(([, name]) => name as string).sort();
}

describe("drizzle-kit", () => {
  test("finds both configs at the top, and nothing to say about the migrations", async () => {
    for (const config of [[], ["--config", "drizzle.postgresql.config.ts"]]) {
      const { code, stdout } = await kit(root, "check", ...config);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Everything's fine") });
    }
  });

  test("exports the tables that the data has, without a list of their names", async () => {
    const { code, stdout, stderr } = await kit(root, "export", "--dialect", "sqlite", "--schema", "./scripts/migrations/sqlite-tables.cjs");
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("CREATE TABLE `_addresses`");
    expect(stdout).toContain("CREATE TABLE `_watches`");
  });

  test("pulls a schema from a file", async ({ place }) => {
    const path = place.file("pulled.db");
    (await openSqlite(path, { mode: "write", now: () => 0 })).close();
    expect(await pulledViews({ dialect: "sqlite", dbCredentials: { url: path } })).toEqual(names("sqlite"));
  });
});

eachPostgres("drizzle-kit", (open) => {
  test("pulls a schema from a server", async () => {
    const at = await open();
    await (await openPostgres(at.url(), { mode: "write", now: () => 0 })).close();
    const config = { dialect: "postgresql", schemaFilter: ["movedex"], dbCredentials: { url: at.url() } };
    expect(await pulledViews(config)).toEqual(names("postgresql"));
  });
});
