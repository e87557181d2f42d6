import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { loadServersFor } from "../../../src/core/db/engine/place.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { jsonLines } from "../../support/command/command-lines.ts";
import { removeCopies } from "../../support/postgres/binaries.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { startDistinct } from "../crawl/node-process.ts";
import { benchServer, describeMachine, launcher, measureProcess, packedLauncher, runProcess } from "../process-cost.ts";
import { recordedModules } from "../recorded-modules.ts";
import { analystQuestions, type CommandQuestion, commandQuestions, recipeQuestions, type SqlQuestion } from "./questions.ts";

/**
 * The cost of queries in a large archive: 20,000 accounts, each with four modules of its own, and the framework's, in two
 * snapshots that it crawls. Runs every recipe of the cookbook, an analyst's queries, and commands as whole processes.
 *
 *     npx node test/bench/questions/large-archive.ts [--accounts 20000] [--rewritten] [--in FOLDER] [--postgres] [--packed]
 *       [--only WORD] [--limit 60]
 *
 * What the modules use of the framework is at 0x1; with `--rewritten`, which is harder, it is at each account itself.
 * `--in` keeps the file for the next time; a later movedex migrates it. `--postgres` starts a server with `fsync` off, and analyzes the
 * tables first, as a server does within minutes. `--only` runs only queries with the word in their names.
 *
 * Cold: a fresh connection, including opening, to a file in the system's cache. Warm: the same query again. A command is a whole
 * process in both cases. Processor seconds are those of the client: the whole query on a file, only the rows on a server.
 */
const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "20000" },
    rewritten: { type: "boolean", default: false },
    in: { type: "string" },
    postgres: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    limit: { type: "string", default: "60" },
    packed: { type: "boolean", default: false },
  },
});
const form = values.rewritten ? "rewritten" : "distinct";
const limitMs = Number(values.limit) * 1000;
const askOnce = fileURLToPath(new URL("ask-once.ts", import.meta.url));
const seconds = (ms: number): string => (ms / 1000).toFixed(ms < 100_000 ? 3 : 0);
const stopped = `> ${values.limit}: stopped`;

using place = temporaryDirectory();
const folder = values.in ?? place.path;
mkdirSync(folder, { recursive: true });
const program = values.packed ? packedLauncher(place.path) : launcher;
const server = values.postgres ? await benchServer({ fsync: "off" }) : undefined;
try {
  const db = server === undefined ? join(folder, `${form}_${values.accounts}.db`) : `postgres://postgres@127.0.0.1:${server.port}/postgres`;
  const begun = performance.now();
  await build(db);
  const took = performance.now() - begun;
  await loadServersFor(db);
  const [modules, from, to] = (await rowsOf(
    db,
    "SELECT (SELECT count(*) FROM modules_latest), min(ledger_version), max(ledger_version) FROM snapshots",
  )) as [bigint, bigint, bigint];
  const [account] = (await rowsOf(
    db,
    "SELECT address FROM structs_latest WHERE module = 'coin' AND name = 'Coin' AND address <> '0x1' ORDER BY address LIMIT 1 OFFSET 9",
  )) as [Address];
  const sizeText = server === undefined ? `, ${(statSync(db).size / 1e6).toFixed(0)} MB` : "";
  process.stdout.write(
    `${describeMachine()}, ${server === undefined ? "SQLite" : "PostgreSQL"}; ${values.accounts} accounts × 4 distinct modules, ${modules} modules in all${sizeText}; made or brought up to date in ${seconds(took)} s. The program is ${values.packed ? "JavaScript, as packed" : "its TypeScript sources"}.\n\n| question | rows | cold, s | warm, s | warm, CPU s |\n|---|---|---|---|---|\n`,
  );
  const subject = { from: BigInt(from), to: BigInt(to), account };
  const wanted = <T extends { readonly about: string }>(list: readonly T[]) => list.filter(({ about }) => about.includes(values.only));
  for (const question of wanted([...recipeQuestions(subject), ...analystQuestions(subject)]))
    print(question.about, await askSql(db, question));
  for (const question of wanted(commandQuestions(subject))) print(`movedex ${question.about}`, await askCommand(db, question));
} finally {
  await server?.remove();
  removeCopies();
}

/** Crawls two nights of the accounts and of the framework's, or brings the file of an earlier time up to date. */
async function build(db: string): Promise<void> {
  if (server === undefined && existsSync(db)) return void (await measureProcess(launcher, "verify", "--db", db, "--slice", "1/1000"));
  // An archive that was left half made is not taken for a whole one.
  const unfinished = server === undefined ? join(place.path, "unfinished.db") : db;
  const targets = place.file("targets.txt");
  const node = await startDistinct(targets, [values.accounts, "4", form], new Set(recordedModules().map(({ address }) => address)));
  const sync = ["sync", "--rpc", node.url, "--rate", "0", "--concurrency", "16", "--db", unfinished, "--targets", targets];
  await measureProcess(program, ...sync);
  await node.tell("upgrade");
  await measureProcess(program, ...sync);
  node.end();
  if (server === undefined) return renameSync(unfinished, db);
  const client = new pg.Client({ connectionString: db });
  await client.connect();
  // What the server does by itself within minutes; questions that are asked at once would be planned from nothing.
  await client.query("VACUUM (ANALYZE)");
  await client.end();
}

/** The cells of the first row of an answer. */
async function rowsOf(db: string, sql: string): Promise<readonly unknown[]> {
  await using door = await databaseAt(db).openToQuery();
  return (await Array.fromAsync((await door.query(sql)).rows))[0] ?? [];
}

function print(about: string, cells: readonly string[]): void {
  process.stdout.write(`| ${[about.replaceAll("|", "\\|"), ...cells].join(" | ")} |\n`);
}

type Told = { readonly ms?: number; readonly cpuMs?: number; readonly rows?: number; readonly error?: string };

async function askSql(db: string, { sql, values }: SqlQuestion): Promise<string[]> {
  // A file's question only ends with its process; a server stops one itself, a little earlier.
  const { stdout } = await runProcess([askOnce, db, String(limitMs), JSON.stringify({ sql, values })], { limitMs: 2 * limitMs });
  const [cold, warm] = jsonLines<Told>(stdout);
  const text = (told?: Told) =>
    told === undefined || /took longer/.test(told.error ?? "") ? stopped : (told.error ?? seconds(told.ms ?? 0));
  return [String((warm ?? cold)?.rows ?? ""), text(cold), text(warm), seconds(warm?.cpuMs ?? 0)];
}

async function askCommand(db: string, { args }: CommandQuestion): Promise<string[]> {
  const ask = async () => {
    const command = [program, ...args, ...(args[0] === "version" ? [] : ["--db", db])];
    const { code, ms, cpuMs, stdout } = await runProcess(command, { limitMs, isQuiet: true });
    // 100 and 101 are answers: something breaks, or could not be compared.
    const isAnswer = code === 0 || code === 100 || code === 101;
    const text = isAnswer ? seconds(ms) : code === null ? stopped : `exit code ${code}`;
    return { text, cpu: seconds(cpuMs), lines: stdout.split("\n").length - 1 };
  };
  const [cold, warm] = [await ask(), await ask()];
  return [`${cold.lines} lines`, cold.text, warm.text, warm.cpu];
}
