import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { bringDatabasesFor } from "../../../src/core/db/engine/place.ts";
import { removeCopies } from "../../support/postgres/binaries.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine, launcher, packedLauncher, runProcess } from "../process-cost.ts";
import { benchServer } from "../server-cost.ts";
import { accountWith, fillDistinctArchive, nights } from "./distinct-archive.ts";
import { analystQuestions, type CommandQuestion, commandQuestions, recipeQuestions, type SqlQuestion, type Subject } from "./questions.ts";

/**
 * The cost of queries in a large archive: 20,000 accounts, each with four modules of its own, and the framework's, in two
 * snapshots. Runs every recipe of the cookbook, an analyst's queries, and commands as whole processes.
 *
 *     npx node test/bench/questions/large-archive.ts [--accounts 20000] [--in FOLDER] [--postgres] [--packed]
 *       [--only WORD] [--limit 60]
 *
 * `--in` keeps the archive for the next time; a later movedex migrates it. `--postgres` uses a separate schema on the server that
 * DATABASE_URL names, and keeps it; without DATABASE_URL it starts a server with `fsync` off. It analyzes the tables first, as a
 * server does within minutes. `--only` runs only queries with the word in their names.
 *
 * Cold: a fresh connection, including opening, to a file in the system's cache. Warm: the same query again. A command is a whole
 * process in both cases. Processor seconds are those of the client: the whole query on a file, only the rows on a server.
 */
const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "20000" },
    modules: { type: "string", default: "4" },
    in: { type: "string" },
    postgres: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    limit: { type: "string", default: "60" },
    packed: { type: "boolean", default: false },
  },
});
const size = { accounts: Number(values.accounts), modules: Number(values.modules) };
const limitMs = Number(values.limit) * 1000;
const askOnce = fileURLToPath(new URL("ask-once.ts", import.meta.url));

/** What became of a question: seconds, or why there are none. */
type Answer = {
  readonly about: string;
  readonly rows: string;
  readonly cold: string;
  readonly warm: string;
  readonly cpu: string;
};

using place = temporaryDirectory();
const folder = values.in ?? place.path;
mkdirSync(folder, { recursive: true });
const program = values.packed ? packedLauncher(place.path) : launcher;
const server = values.postgres && process.env["DATABASE_URL"] === undefined ? await benchServer() : undefined;

try {
  const own = databaseName();
  const begun = performance.now();
  await build(own);
  const db = values.postgres ? await reader(own) : own;
  const took = performance.now() - begun;
  await bringDatabasesFor(db);
  const door = await databaseAt(db).openToQuery();
  const modules = Number((await Array.fromAsync((await door.query("SELECT count(*) FROM modules_latest")).rows))[0]?.[0]);
  await door.close();
  const sizeText = values.postgres ? "" : `, ${(statSync(db).size / 1e6).toFixed(0)} MB`;
  process.stdout.write(
    `${describeMachine()}, ${values.postgres ? "PostgreSQL" : "SQLite"}; ${size.accounts} accounts × ${size.modules} distinct modules, ${modules} modules in all${sizeText}; made or brought up to date in ${seconds(took)} s. The program is ${values.packed ? "JavaScript, as packed" : "its TypeScript sources"}.\n\n`,
  );
  await askAll(db);
} finally {
  await server?.remove();
  removeCopies();
}

function databaseName(): string {
  const name = `distinct_${size.accounts}_${size.modules}`;
  if (!values.postgres) return join(folder, `${name}.db`);
  const url = new URL(process.env["DATABASE_URL"] ?? `postgres://postgres@127.0.0.1:${server?.port}/postgres`);
  url.searchParams.set("schema", name);
  return url.href;
}

async function build(db: string): Promise<void> {
  if (frameworkHistory === undefined) throw new Error("wanted the recorded releases beside the repository, and they are not there");
  if (values.postgres) {
    await fillDistinctArchive(db, frameworkHistory, size);
    return await analyze(db);
  }
  if (existsSync(db)) return await fillDistinctArchive(db, frameworkHistory, size);
  // An archive that was left half made is not taken for a whole one.
  const unfinished = `${db}.unfinished`;
  for (const end of ["", "-wal", "-shm"]) rmSync(unfinished + end, { force: true });
  await fillDistinctArchive(unfinished, frameworkHistory, size);
  renameSync(unfinished, db);
}

/** The address of a role that can only read: questions are not asked as anybody else. */
async function reader(db: string): Promise<string> {
  const url = new URL(db);
  const schema = url.searchParams.get("schema") ?? "movedex";
  const role = `reads_${schema}`;
  await run(db, [
    `DO $$ BEGIN IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} LOGIN PASSWORD 'reads'; END IF; END $$`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
  ]);
  url.username = role;
  url.password = "reads";
  return url.href;
}

/** What the server does by itself within minutes; questions that are asked at once would be planned from nothing. */
async function analyze(db: string): Promise<void> {
  await run(db, ["VACUUM (ANALYZE)"]);
}

async function run(db: string, statements: readonly string[]): Promise<void> {
  const url = new URL(db);
  url.searchParams.delete("schema");
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function askAll(db: string): Promise<void> {
  const account = accountWith("coin", size);
  if (account === undefined) throw new Error("no account has a module `coin`; make the archive larger");
  const subject: Subject = { ...nights, account };
  const wanted = <T extends { readonly about: string }>(list: readonly T[]) => list.filter(({ about }) => about.includes(values.only));
  process.stdout.write("| question | rows | cold, s | warm, s | warm, CPU s |\n|---|---|---|---|---|\n");
  for (const question of wanted([...recipeQuestions(subject), ...analystQuestions(subject)])) print(await askSql(db, question));
  for (const question of wanted(commandQuestions(subject))) print(await askCommand(db, question));
}

function print({ about, rows, cold, warm, cpu }: Answer): void {
  process.stdout.write(`| ${[about.replaceAll("|", "\\|"), rows, cold, warm, cpu].join(" | ")} |\n`);
}

async function askSql(db: string, { about, ...asked }: SqlQuestion): Promise<Answer> {
  const child = spawn(process.execPath, [askOnce, db, String(limitMs)], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  child.stdin.end(JSON.stringify(asked));
  let answer: Answer = { about, rows: "", cold: "", warm: "", cpu: "" };
  const none = () => ({ ...answer, [answer.cold === "" ? "cold" : "warm"]: `> ${values.limit}: stopped` });
  // A file's question only ends with its process; a server stops one itself, a little earlier.
  let overdue: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(overdue);
    overdue = setTimeout(() => child.kill("SIGKILL"), limitMs + 1000);
  };
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as { time?: "cold" | "warm"; ms?: number; cpuMs?: number; rows?: number; error?: string };
    if (line.time !== undefined)
      answer = { ...answer, rows: String(line.rows), [line.time]: seconds(line.ms ?? 0), cpu: seconds(line.cpuMs ?? 0) };
    if (line.error !== undefined) answer = /took longer/.test(line.error) ? none() : { ...answer, cold: line.error };
    wait();
  }
  clearTimeout(overdue);
  const [code] = (await ended) as [number | null];
  return code === null ? none() : answer;
}

async function askCommand(db: string, { about, args }: CommandQuestion): Promise<Answer> {
  const command = [program, ...args, ...(args[0] === "version" ? [] : ["--db", db])];
  const ask = async () => {
    const { code, ms, cpuMs, stdout } = await runProcess(command, { limitMs, isQuiet: true });
    // 100 and 101 are answers: something breaks, or could not be compared.
    const isAnswer = code === 0 || code === 100 || code === 101;
    const text = isAnswer ? seconds(ms) : code === null ? `> ${values.limit}: stopped` : `exit code ${code}`;
    return { text, cpu: seconds(cpuMs), lines: stdout.split("\n").length - 1 };
  };
  const cold = await ask();
  const warm = await ask();
  return { about: `movedex ${about}`, rows: `${cold.lines} lines`, cold: cold.text, warm: warm.text, cpu: warm.cpu };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 100_000 ? 3 : 0);
}
