import { text } from "node:stream/consumers";
import { Option } from "commander";
import { formatDuration } from "../../../base/time.ts";
import { ConfigError } from "../../../errors.ts";
import { QUERY_WORKER, type Query } from "../../../questions/query-process.ts";
import type { Io } from "../../io.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { collectParameter, parseDurationOption, wholeNumber } from "../../options/options.ts";
import { type RowFormat, rowFormats } from "../../output/rows.ts";

type QueryFlags = {
  readonly db: string;
  readonly format: RowFormat;
  readonly maxRows: number;
  readonly timeout: number;
  readonly param?: Readonly<Record<string, string>>;
  readonly cookbook?: string;
};

const MAX_ROWS = 1000;
const TIMEOUT_MS = 30_000;

export function queryCommand(): MovedexCommand {
  return new MovedexCommand("query")
    .summary("run a read-only SQL statement")
    .description("Run one read-only SQL statement. `movedex schema` lists the views and their columns.")
    .argument("[sql]", "one statement that returns rows; - reads it from stdin")
    .option("--cookbook <name>", "run a query of the cookbook; `movedex cookbook` lists them")
    .formats(rowFormats)
    .option("-p, --param <name=value>", "a value for :name in the statement; repeatable", collectParameter)
    .option("--max-rows <n>", "stop after n rows; 0 for no limit", wholeNumber(0, 1e12), MAX_ROWS)
    .addOption(
      new Option("--timeout <time>", "stop the query after this time (90s, 30m …)")
        .argParser(parseDurationOption)
        .default(TIMEOUT_MS, formatDuration(TIMEOUT_MS)),
    )
    .database()
    .examples('query "SELECT name FROM structs_latest WHERE is_event" --db night.db')
    .runs(async ({ io }, sql: string | undefined, flags: QueryFlags) => {
      const { runQuery } = await import("./run.ts");
      const { db: path, format, maxRows, timeout } = flags;
      const width = io.stdoutIsTerminal ? io.columns : null;
      const asked = await statementOf(io, sql, flags);
      return runQuery(io, { path, ...asked, format, maxRows, width }, timeout);
    });
}

async function statementOf(
  io: Io,
  sql: string | undefined,
  { cookbook, param = {}, db }: QueryFlags,
): Promise<Pick<Query, "sql" | "params">> {
  if ((sql === undefined) === (cookbook === undefined)) {
    throw new ConfigError("give an SQL statement (- reads it from stdin) or --cookbook NAME.");
  }
  if (cookbook === undefined) return { sql: sql === "-" ? await text(io.stdin()) : (sql as string), params: param };
  const { findRecipe, recipeValues } = await import("../../../../capabilities/cookbook/recipe-values.ts");
  const { resolveRecipeValues } = await import("../../../../capabilities/cookbook/recipe-values.ts");
  const recipe = findRecipe(cookbook);
  const values = recipeValues(recipe, param);
  if (Object.keys(values).length === 0) return { sql: recipe.sql, params: values };
  const { openModuleArchive } = await import("../../../db/archive/read/module-archive.ts");
  await using archive = await openModuleArchive(db);
  return { sql: recipe.sql, params: await resolveRecipeValues(archive, recipe, values) };
}

/** The hidden command behind `query` and the SQL page. */
export function queryWorkerCommand(): MovedexCommand {
  return new MovedexCommand(QUERY_WORKER).runsFrom(async () => (await import("./worker.ts")).runQueryWorker);
}
