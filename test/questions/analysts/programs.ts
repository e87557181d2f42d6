import { fileURLToPath } from "node:url";
import { DuckDBInstance, DuckDBTimestampTZValue, type DuckDBValue } from "@duckdb/node-api";
import Database from "better-sqlite3";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import pg from "pg";
import { missingModules, missingOldest, missingShell, output, python, withOldestSqlite } from "../../witnesses/programs.ts";
import type { Kind, Question } from "./questions.ts";

/** A cell with the letter of what a program took it for: `i:1`, `t:coin`, `b:1`, `m:` a moment, `n:` a number of 64 bits. */
export type Cell = string | null;
export type Answer = { readonly types?: readonly string[]; readonly rows: readonly (readonly Cell[])[] };
/** By the names of questions: the answer, or why there is none. */
export type Answers = Readonly<Record<string, Answer | string>>;

/** Where the archive is: a file, and each table of its export as a question to Parquet. */
export type Archive = { readonly file: string; readonly tables: Readonly<Record<string, string>> };

export type Program = {
  readonly name: string;
  readonly missing: string | undefined;
  readonly dialect?: "duckdb";
  /** Kinds that it knows as such. Others are what SQLite has: 1 or 0, ISO text, text above 2^63. */
  readonly knows: readonly Kind[];
  /** The types of its columns, of those that have one. */
  readonly types?: Readonly<Record<Kind, RegExp>>;
  readonly ask: (archive: Archive, questions: readonly Question[]) => Answers | Promise<Answers>;
};

/** A value of SQLite as a cell. */
const cellOf = (value: unknown): Cell => (value === null ? null : `${typeof value === "string" ? "t" : "i"}:${value as string}`);

function withFile<T>(file: string, use: (database: Database.Database) => T): T {
  const database = new Database(file, { readonly: true }).defaultSafeIntegers();
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** What movedex's own SQLite answers, with the names of columns of u64. */
export const askOwn = (file: string, questions: readonly Question[]) =>
  withFile(file, (database) =>
    questions.map(({ name, sql, kinds }) => {
      const statement = database.prepare<[], unknown[]>(sql).raw();
      const u64 = statement.columns().flatMap((column, i) => (kinds[i] === "u64" ? [column.name] : []));
      return { name, u64, rows: statement.all().map((row) => row.map(cellOf)) };
    }),
  );

function byPython(mode: string, env: NodeJS.ProcessEnv = process.env): Program["ask"] {
  const script = fileURLToPath(new URL("ask.py", import.meta.url));
  return (archive, questions) => {
    const numbers = new Map(askOwn(archive.file, questions).map(({ name, u64 }) => [name, u64]));
    const asked = questions.map(({ name, sql }) => ({ name, sql, u64: numbers.get(name) }));
    const input = JSON.stringify({ ...archive, questions: asked });
    return (JSON.parse(output(python, [script, mode], { env, input, timeout: 900_000 })) as { answers: Answers }).answers;
  };
}

/** The program `sqlite3` prints values as SQL has them, here after a line with the name of the question. */
function askShell({ file }: Archive, questions: readonly Question[]): Answers {
  const input = questions.map(({ name, sql }) => `SELECT '=== ${name}';\n${sql};`).join("\n");
  const parts = output("sqlite3", ["-readonly", "-cmd", ".mode quote", file], { input }).split("'=== ");
  return Object.fromEntries(
    questions.map(({ name, kinds }) => {
      const part = parts.find((one) => one.startsWith(`${name}'\n`))?.slice(name.length + 2) ?? "";
      const cells = Array.from(part.matchAll(/'((?:[^']|'')*)'|NULL|-?\d+/g), ([all, text]) =>
        all === "NULL" ? null : text === undefined ? `i:${all}` : `t:${text.replaceAll("''", "'")}`,
      );
      const rows = Array.from({ length: cells.length / kinds.length }, (_, i) => cells.slice(i * kinds.length, (i + 1) * kinds.length));
      return [name, { rows }];
    }),
  );
}

const askDrizzle: Program["ask"] = ({ file }, questions) =>
  withFile(file, (database) => {
    const ask = (sql: string) => drizzle(database).values<unknown[]>(drizzleSql.raw(sql));
    return Object.fromEntries(questions.map(({ name, sql }) => [name, { rows: ask(sql).map((row) => row.map(cellOf)) }]));
  });

/** DuckDB over the files of an export, by its own package: it runs wherever `npm ci` did. */
async function askParquet({ tables }: Archive, questions: readonly Question[]): Promise<Answers> {
  const duck = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  await duck.run("SET TimeZone = 'UTC'");
  for (const [view, select] of Object.entries(tables)) await duck.run(`CREATE VIEW ${view} AS ${select}`);
  const cell = (value: DuckDBValue, type: string): Cell => {
    if (value === null || typeof value === "string") return cellOf(value);
    if (value instanceof DuckDBTimestampTZValue) return `m:${new Date(Number(value.micros / 1000n)).toISOString()}`;
    return typeof value === "boolean" ? `b:${Number(value)}` : `${type === "UBIGINT" ? "n" : "i"}:${BigInt(value as bigint | number)}`;
  };
  const answers: Record<string, Answer> = {};
  for (const { name, sql } of questions) {
    const found = await duck.runAndReadAll(sql);
    const types = found.columnTypes().map(String);
    answers[name] = { types, rows: found.getRows().map((row) => row.map((value, i) => cell(value, types[i] as string))) };
  }
  duck.closeSync();
  return answers;
}

export const allKinds: readonly Kind[] = ["text", "int", "bool", "time", "u64"];
const noDuck = missingModules("duckdb", "duckdb_extension_sqlite_scanner", "pyarrow");

/** Programs that read a file in a moment, and those that take Python's libraries. */
export const quickPrograms: readonly Program[] = [
  { name: "SQLite's shell", missing: missingShell, knows: [], ask: askShell },
  { name: "SQLite 3.37.2", missing: missingOldest, knows: [], ask: byPython("sqlite", withOldestSqlite) },
  { name: "SQLite 3.51.1", missing: missingModules("pysqlite3"), knows: [], ask: byPython("pysqlite3") },
  { name: "drizzle", missing: undefined, knows: [], ask: askDrizzle },
];
const ofDuckDb = (time: RegExp, u64: RegExp): Pick<Program, "dialect" | "knows" | "types"> => ({
  dialect: "duckdb",
  knows: allKinds,
  types: { text: /^VARCHAR$/, int: /^(?:BIGINT|HUGEINT|INTEGER)$/, bool: /^BOOLEAN$/, time, u64 },
});
export const slowPrograms: readonly Program[] = [
  { name: "pandas", missing: missingModules("pandas"), knows: ["u64"], ask: byPython("pandas") },
  { name: "polars", missing: missingModules("polars"), knows: ["u64"], ask: byPython("polars") },
  { name: "Datasette", missing: missingModules("datasette"), knows: [], ask: byPython("datasette") },
  { name: "DuckDB ATTACH", missing: noDuck, ask: byPython("attached"), ...ofDuckDb(/^TIMESTAMP$/, /^DECIMAL\(20,0\)$/) },
  { name: "DuckDB over Parquet", missing: undefined, ask: askParquet, ...ofDuckDb(/^TIMESTAMP WITH TIME ZONE$/, /^UBIGINT$/) },
];

const letters: Readonly<Record<number, string>> = { 16: "b", 20: "i", 23: "i", 1184: "m", 1700: "n" };

/** What PostgreSQL answers, by its own driver. */
export async function askServer(url: string, questions: readonly Question[]): Promise<Answers> {
  const client = new pg.Client({ connectionString: url, options: "-c search_path=movedex -c TimeZone=America/New_York" });
  await client.connect();
  const cell = (value: string | null, type: number): Cell => {
    const letter = letters[type] ?? "t";
    if (value === null) return null;
    return `${letter}:${letter === "b" ? Number(value === "t") : letter === "m" ? new Date(value).toISOString() : value}`;
  };
  try {
    const answers: Record<string, Answer> = {};
    for (const { name, sql, in: other } of questions) {
      const text = other?.postgresql ?? sql;
      const { fields, rows } = await client.query({
        text,
        rowMode: "array",
        types: { getTypeParser: () => (raw: string) => raw } as never,
      });
      answers[name] = { rows: (rows as (string | null)[][]).map((row) => row.map((value, i) => cell(value, fields[i]?.dataTypeID ?? 0))) };
    }
    return answers;
  } finally {
    await client.end();
  }
}
