import { cpSync, existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect } from "vitest";
import { tablesOf } from "../../../../src/exchange/tables/table.ts";
import { ended } from "../../../support/command/ended.ts";
import { startMovedex, wasKilled } from "../../../support/command/movedex-process.ts";
import { runCli } from "../../../support/run-cli.ts";
import { missingModules, output, python } from "../../../witnesses/programs.ts";

const preload = new URL("./kill-at-call.ts", import.meta.url).href;
const digests = fileURLToPath(new URL("../../../witnesses/python/export_digests.py", import.meta.url));
export const missingPolars = missingModules("polars");

type Format = "csv" | "jsonl" | "parquet";

/** An export that is there, and a command line that brings it up to date. */
export type Update = {
  readonly before: string;
  readonly format: Format;
  readonly isPartitioned?: boolean;
  readonly argv: readonly string[];
};

/** What readers find by each pattern: for one pattern always the same text where the rows are the same. */
export type Found = Readonly<Record<string, string>>;

/**
 * Kills an update at some of the calls by which it changes files, each time of a copy of its own in `folder`: half of them are the
 * largest writes, half are spread over all calls from the first rename on. @returns the directories; `after` is one that was not killed
 */
export async function killedUpdates(folder: string, { before, argv }: Update, moments: number) {
  const copy = (name: string): string => {
    cpSync(before, join(folder, name), { recursive: true });
    return join(folder, name);
  };
  const start = (directory: string, env: Record<string, string>) =>
    startMovedex(["export", directory, ...argv], { env: { ...process.env, ...env, NODE_OPTIONS: `--import=${preload}` } });
  const after = copy("after");
  const report = join(folder, "calls.json");
  expect(await wasKilled(start(after, { MOVEDEX_KILL_CALLS: report }))).toBe(false);
  const calls = JSON.parse(readFileSync(report, "utf8")) as [name: string, size: number][];
  const renames = calls.findIndex(([name]) => name === "renameSync");
  expect(renames).toBeGreaterThan(0);
  const half = Math.floor(moments / 2);
  const writes = calls.slice(0, renames).map(([, size], i) => [size, i + 1] as const);
  const largest = writes.sort(([a], [b]) => b - a).slice(0, moments - half);
  const later = Array.from(
    { length: half },
    (_, i) => renames + 1 + Math.round((i * (calls.length - 1 - renames)) / Math.max(half - 1, 1)),
  );
  const killed: string[] = [];
  for (const n of [...largest.map(([, n]) => n), ...later]) {
    const directory = copy(`killed-at-${n}-${calls[n - 1]?.[0]}`);
    expect([n, await wasKilled(start(directory, { MOVEDEX_KILL_AT: `${n}` }))]).toEqual([n, true]);
    killed.push(directory);
  }
  return { after, killed };
}

/** The patterns under which tables are read, without the directory before them. */
export function patternsOf({ format, isPartitioned = false }: Pick<Update, "format" | "isPartitioned">): string[] {
  return tablesOf(["archive", "view"], isPartitioned).flatMap(({ name, family, isWhole }) =>
    isPartitioned && family === "view" && !isWhole
      ? [`*/${name}/*/*/*.${format}`]
      : [`*/${name}.${format}`, `part-*/${name}.${format}`, `part-000001/${name}.${format}`],
  );
}

/** The patterns of the documentation, with T in the place of the table and x in that of the format. */
export function documentedPatterns(): Set<string> {
  const pages = globSync("{README.md,docs/**/*.md}", { cwd: fileURLToPath(new URL("../../../..", import.meta.url)) });
  const text = pages.map((page) => readFileSync(fileURLToPath(new URL(`../../../../${page}`, import.meta.url)), "utf8")).join("\n");
  const found = text.matchAll(/\b(?:tables|lake|DIRECTORY)\/((?:part-)?[\w*]+\/[\w*/]+)\.(?:parquet|csv|jsonl|TABLE)\b/g);
  return new Set(Array.from(found, ([, pattern = ""]) => `${pattern.replace(/(?<=\/)(?:\w+_at|\w+_history|snapshots|TABLE)\b/, "T")}.x`));
}

export async function readByDuckDb(directory: string, patterns: readonly string[]): Promise<Found> {
  const duck = await (await DuckDBInstance.create(":memory:")).connect();
  const found: Record<string, string> = {};
  for (const pattern of patterns) {
    const path = `'${join(directory, pattern)}'`;
    const hive = pattern.includes("/*/*/") ? ", hive_partitioning = true" : "";
    const source = pattern.endsWith(".csv")
      ? `read_csv(${path}, all_varchar = true, allow_quoted_nulls = false)`
      : read(path, pattern, hive);
    found[pattern] = await duck.runAndReadAll(`SELECT count(*), bit_xor(hash(t)) FROM ${source} AS t`).then(
      (answer) => String(answer.getRows()),
      (error: Error) => error.message.split("\n")[0]?.replaceAll(directory, "") ?? "",
    );
  }
  duck.closeSync();
  return found;
}

function read(path: string, pattern: string, more: string): string {
  return pattern.endsWith(".jsonl") ? `read_json(${path}${more})` : `read_parquet(${path}${more})`;
}

/** What polars finds in several directories. */
export function readByPolars(directories: readonly string[], patterns: readonly string[]): Found[] {
  const input = directories.flatMap((directory) => patterns.map((pattern) => join(directory, pattern))).join("\n");
  const answer = JSON.parse(output(python, [digests], { input })) as Record<string, unknown>;
  return directories.map((directory) =>
    Object.fromEntries(patterns.map((pattern) => [pattern, JSON.stringify(answer[join(directory, pattern)])])),
  );
}

/** The patterns by which a reader finds neither what was there before nor what is there after. */
export function between(found: Found, before: Found, after: Found): [pattern: string, found: string, before: string, after: string][] {
  return Object.entries(found)
    .filter(([pattern, text]) => text !== before[pattern] && text !== after[pattern])
    .map(([pattern, text]) => [pattern, text, before[pattern] ?? "", after[pattern] ?? ""]);
}

/** Runs an update again that was killed: then a directory has what one has that was not killed, and nothing else. */
export async function runAgain(directory: string, after: string, argv: readonly string[]): Promise<void> {
  await ended(runCli(["export", directory, ...argv]));
  const names = (path: string) => readdirSync(path, { recursive: true, encoding: "utf8" }).sort();
  expect([directory, names(directory)]).toEqual([directory, names(after)]);
  for (const name of names(after).filter((candidate) => existsSync(join(after, candidate)) && candidate.includes("."))) {
    expect([name, readFileSync(join(directory, name)).equals(readFileSync(join(after, name)))]).toEqual([name, true]);
  }
}
