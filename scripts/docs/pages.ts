import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import { postgresqlTables } from "../../src/capabilities/drizzle/postgresql.ts";
import { formatDuration } from "../../src/core/base/time.ts";
import { readMigrations } from "../../src/core/db/engine/migrations.ts";
import { tablesDigest } from "../../src/core/db/engine/sqlite/tables/expected-schema.ts";
import { viewsDigest } from "../../src/core/db/engine/sqlite/tables/install-views.ts";
import { MIGRATIONS, runMigrations } from "../../src/core/db/engine/sqlite/tables/migrate.ts";
import { secondaryIndexes } from "../../src/core/db/schema/tables/derived.ts";
import { broughtTables } from "../../src/core/db/schema/tables/tables.ts";
import { exitCodes } from "../../src/core/exit-codes.ts";
import { networks } from "../../src/core/node/networks.ts";
import { errorClass, errorClasses, type NodeErrorKind } from "../../src/core/node/protocol/error-classes.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { fenced, markdownRows } from "./blocks.ts";
import { commandsMarkdown } from "./commands.ts";
import { cookbookMarkdown } from "./cookbook.ts";
import { rulesMarkdown } from "./diff-rules.ts";
import { jsonSchemas, schemasMarkdown } from "./json-schemas.ts";
import { schemaMarkdown } from "./schema.ts";

/** An account's record and one page of its modules. */
const REQUESTS_PER_ACCOUNT = 2;

/** How long a night takes at the pace of each preset, by the number of accounts. */
function paceMarkdown(): string {
  const presets = Object.entries(networks);
  const rates = [...new Set(presets.map(([, { rate }]) => rate))];
  const columns = rates.map((rate) => {
    const families = presets.filter(([, preset]) => preset.rate === rate).map(([name]) => `\`${name.split("-")[0]}-…\``);
    return `${[...new Set(families)].join(", ")} at ${rate} requests/s`;
  });
  const rows = [100, 1000, 10_000].map((accounts) => {
    const requests = accounts * REQUESTS_PER_ACCOUNT;
    return [accounts, requests].map(formatCount).concat(rates.map((rate) => formatDuration((requests / rate) * 1000)));
  });
  return markdownRows(["accounts", "requests a night", ...columns], rows);
}

function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** A database as the migrations make it, without views. */
function migrated(): Database.Database {
  const database = new Database(":memory:");
  runMigrations(database, readMigrations(MIGRATIONS));
  return database;
}

/** The pages with generated parts: each part by the name between its marks, with what makes it. */
export const pages: Readonly<Record<string, Readonly<Record<string, () => string | Promise<string>>>>> = {
  "README.md": { demo: () => fenced(demoOutput(), "console") },
  "docs/operations.md": { pace: paceMarkdown },
  "docs/commands.md": { commands: commandsMarkdown },
  "docs/json.md": { schemas: schemasMarkdown },
  "docs/schema.md": { schema: schemaMarkdown },
  "docs/cookbook.md": { recipes: cookbookMarkdown },
  "docs/diff-rules.md": { rules: rulesMarkdown },
  "docs/errors.md": { "exit-codes": exitCodesMarkdown, "node-errors": nodeErrorsMarkdown },
};

/** The files that are generated whole, with what makes each. */
export const files: Readonly<Record<string, () => string | Promise<string>>> = {
  "src/core/db/schema/digests.ts": () => {
    const [views, tables] = [viewsDigest(), tablesDigest(migrated())];
    return [
      "/** What `viewsDigest` gives, and `tablesDigest` of a new database. `npm run docs` writes them. */",
      `export const [VIEWS_DIGEST, TABLES_DIGEST] = [\n  "${views}",\n  "${tables}",\n] as const;\n`,
    ].join("\n");
  },
  "migrations/sqlite-tables.sql": () => {
    const objects = migrated().prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE sql <> ''").all();
    const isLate = (name: string): boolean => /^(?:__drizzle|sqlite)_/.test(name) || secondaryIndexes.some((index) => index.name === name);
    return objects.flatMap(({ name, sql }) => (isLate(name) ? [] : [`${sql};\n`])).join("");
  },
  "migrations/postgresql-tables.sql": async () => {
    const statements = await generateMigration(generateDrizzleJson({}), generateDrizzleJson(postgresqlTables()));
    const texts = broughtTables.map(({ name }) => {
      const isOf = new RegExp(`^(?:CREATE TABLE|ALTER TABLE|CREATE (?:UNIQUE )?INDEX \\S+ ON) "${name}"`);
      return statements.flatMap((statement) => (isOf.test(statement) ? [`${statement.trim()}\n`] : []));
    });
    return texts.flat().join("").replaceAll('"public".', "");
  },
  ...Object.fromEntries(
    [...(await jsonSchemas())].map(([file, schema]) => [`schemas/${file}`, () => `${JSON.stringify(schema, null, 2)}\n`]),
  ),
};

/** What the demonstration prints on stdout, run in a directory of its own; its port, which differs from run to run, made the same. */
function demoOutput(): string {
  using directory = temporaryDirectory();
  const script = fileURLToPath(new URL("../../jobs/demo.ts", import.meta.url));
  const output = execFileSync(process.execPath, [script], { cwd: directory.path, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return output.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080").trimEnd();
}

/** The exit codes as a table. */
function exitCodesMarkdown(): string {
  const rows = Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]);
  return markdownRows(["exit code", "meaning"], rows);
}

/** Failures at the node: what each means, how long it is tried again, and what is over then. From the one table that decides it. */
function nodeErrorsMarkdown(): string {
  const rows = (Object.keys(errorClasses) as NodeErrorKind[]).map((kind) => {
    const { meaning, retry, ends, pausesAll, exit = "failed", exitOnceRead } = errorClass(kind);
    const tries = retry === undefined ? "no" : `up to ${retry.attempts} times within ${formatDuration(retry.withinMs)}`;
    const onceRead = exitOnceRead === undefined ? "" : ` (${exitCodes[exitOnceRead].code} if it has read something)`;
    const outcome = ends === "request" ? "a gap" : `the run ends: ${exitCodes[exit].code}${onceRead}`;
    return [`\`MOVEDEX_NODE_${kind.toUpperCase()}\``, meaning, `${tries}${pausesAll ? "; all requests wait" : ""}`, outcome];
  });
  return markdownRows(["code", "meaning", "tried again", "then"], rows);
}
