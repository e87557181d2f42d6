import { text } from "node:stream/consumers";
import { Option } from "commander";
import { formatDuration } from "../../../base/time.ts";
import { ConfigError } from "../../../errors.ts";
import { QUERY_WORKER, type Query } from "../../../questions/query-process.ts";
import { addedTo, type Capability } from "../../capability.ts";
import type { Io } from "../../io.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { collectParameter, parseDurationOption, wholeNumber } from "../../options/options.ts";
import { type RowFormat, rowFormats } from "../../output/rows.ts";

type QueryFlags = {
  readonly db: string;
  readonly format: RowFormat;
  readonly maxRows: number;
  readonly timeout: number;
  readonly json?: boolean;
  readonly param?: Readonly<Record<string, string>>;
};

const MAX_ROWS = 1000;
const TIMEOUT_MS = 30_000;

/** Ready statements of a capability: its option names one, which is asked with the values of `--param`. */
export type ReadyQueries = {
  readonly option: string;
  declare(command: MovedexCommand): MovedexCommand;
  statementOf(name: string, values: Readonly<Record<string, string>>, database: string): Promise<Statement>;
};

type Statement = Pick<Query, "sql" | "params">;

export async function queryCommand(capabilities: readonly Capability[]): Promise<() => MovedexCommand> {
  const ready = await addedTo<ReadyQueries>("query", capabilities);
  return () => declare(ready);
}

function declare(ready: readonly ReadyQueries[]): MovedexCommand {
  const command = new MovedexCommand("query")
    .summary("run a read-only SQL statement")
    .description("Run one read-only SQL statement. `movedex schema` lists the views and their columns.")
    .argument("[sql]", "one statement that returns rows; - reads it from stdin");
  for (const one of ready) one.declare(command);
  return command
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
      const asked = await statementOf(io, ready, sql, flags);
      return runQuery(io, { path, ...asked, format, maxRows, width }, timeout, flags.json);
    });
}

async function statementOf(io: Io, ready: readonly ReadyQueries[], sql: string | undefined, flags: QueryFlags): Promise<Statement> {
  const { param = {}, db } = flags;
  const named = ready.flatMap(({ option, statementOf }) => {
    const name = (flags as Readonly<Record<string, unknown>>)[option] as string | undefined;
    return name === undefined ? [] : [() => statementOf(name, param, db)];
  });
  const [ask, another] = [
    ...named,
    ...(sql === undefined ? [] : [async () => ({ sql: sql === "-" ? await text(io.stdin()) : sql, params: param })]),
  ];
  if (ask !== undefined && another === undefined) return await ask();
  throw new ConfigError(
    `${["give an SQL statement (- reads it from stdin)", ...ready.map(({ option }) => `--${option} NAME`)].join(" or ")}.`,
  );
}

/** The hidden command behind `query` and the SQL page. */
export function queryWorkerCommand(): MovedexCommand {
  return new MovedexCommand(QUERY_WORKER)
    .option("--json", "print a failure as JSON too")
    .runsFrom(async () => (await import("./worker.ts")).runQueryWorker);
}
