import { copyFileSync, cpSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect } from "vitest";
import { tablesOf } from "../../../src/capabilities/export/tables/table.ts";
import { ended, runCli, startMovedex, test, wasKilled } from "../../support/index.ts";
import { missingModules, output, python } from "../../witnesses/programs.ts";
import { holdTwoNights } from "./support/two-nights-held.ts";

const preload = new URL("./support/kill-at-call.ts", import.meta.url).href;
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What a program finds by each pattern: for one pattern always the same text where the rows are the same. */
type Found = Readonly<Record<string, string>>;

describe("an export that is killed", async () => {
  const { scene, first, second, place, sync } = await holdTwoNights(6, 4);
  // The first night has one account; later it is filled, and the second night is there too.
  const [part, filled] = [place.file("part.db"), place.file("filled.db")];
  await ended(sync(part, scene.first, "--account", scene.addresses[0] as string));
  copyFileSync(part, filled);
  for (const version of [scene.first, scene.second]) await ended(sync(filled, version));

  // An update is killed at so many of the calls by which it changes files. These are the same in each format.
  test.for([
    { what: "a further night", from: first, to: second, format: "csv", moments: 8 },
    { what: "a further night", from: first, to: second, format: "jsonl", moments: 8 },
    { what: "a night that is filled, and a further one", from: part, to: filled, format: "parquet", moments: 20 },
  ])(
    "at $moments moments of $what, in $format: each table is the old one or the new one, which running again makes",
    async ({ from, to, format, moments }, { place: own }) => {
      const before = own.file("before");
      await ended(runCli(["export", before, "--db", from, "--format", format]));
      const argv = ["--db", to, "--format", format];
      const { after, killed } = await killedUpdates(own.path, before, argv, moments);
      const patterns = patternsOf(format);
      const [old = {}, fresh = {}, ...found] = await readBack([before, after, ...killed], patterns);
      expect(fresh).not.toEqual(old);
      for (const one of found) expect(Object.keys(one).filter((key) => one[key] !== old[key] && one[key] !== fresh[key])).toEqual([]);
      for (const directory of killed) {
        await ended(runCli(["export", directory, ...argv]));
        expect(filesIn(directory)).toEqual(filesIn(after));
      }
    },
  );

  test("is tested under every pattern of the documentation", () => {
    const shapes = patternsOf("csv").map((pattern) => pattern.replace(/(?<=\/)\w+/, "T").replace(/\.csv$/, ".x"));
    expect([...documentedPatterns()].filter((pattern) => !shapes.includes(pattern) && !pattern.includes("/*/*/"))).toEqual([]);
    expect(documentedPatterns()).toContain("*/T.x");
  });
});

/**
 * Kills an update at some of the calls by which it changes files, each time of a copy of its own in `folder`: half of them are the
 * largest writes, half are spread over all calls from the first rename on. @returns the directories; `after` is one that was not killed
 */
async function killedUpdates(folder: string, before: string, argv: readonly string[], moments: number) {
  const copy = (name: string): string => {
    cpSync(before, join(folder, name), { recursive: true });
    return join(folder, name);
  };
  const start = (directory: string, env: Record<string, string>) =>
    startMovedex(["export", directory, ...argv], { env: { ...process.env, ...env, NODE_OPTIONS: `--import=${preload}` } });
  const [after, report] = [copy("after"), join(folder, "calls.json")];
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
    const directory = copy(`killed-at-${n}`);
    expect([n, await wasKilled(start(directory, { MOVEDEX_KILL_AT: `${n}` }))]).toEqual([n, true]);
    killed.push(directory);
  }
  return { after, killed };
}

/** The patterns under which tables are read, without the directory before them. */
function patternsOf(format: string): string[] {
  return tablesOf(false).flatMap(({ name }) => [`*/${name}.${format}`, `part-*/${name}.${format}`, `part-000001/${name}.${format}`]);
}

/** The patterns of the documentation, with T in the place of the table and x in that of the format. */
function documentedPatterns(): Set<string> {
  const text = globSync("{README.md,docs/**/*.md}", { cwd: root })
    .map((page) => readFileSync(join(root, page), "utf8"))
    .join("\n");
  const found = text.matchAll(/\b(?:tables|lake|DIRECTORY)\/((?:part-)?[\w*]+\/[\w*/]+)\.(?:parquet|csv|jsonl|TABLE)\b/g);
  return new Set(Array.from(found, ([, pattern = ""]) => `${pattern.replace(/(?<=\/)(?:\w+_at|\w+_history|snapshots|TABLE)\b/, "T")}.x`));
}

/** Where it is installed, polars reads them too. */
const isPolarsThere = missingModules("polars") === undefined;
const POLARS = `
import json, polars, sys
read = {"csv": lambda path: polars.read_csv(path, infer_schema=False), "jsonl": polars.read_ndjson, "parquet": polars.read_parquet}
def said(directory, pattern):
    try:
        return str(sorted(read[pattern.split(".")[-1]](directory + "/" + pattern).hash_rows().to_list()))
    except Exception as error:
        return str(error).split("\\n")[0].replace(directory, "")
directories, patterns = map(json.loads, sys.argv[1:])
print(json.dumps([{"polars " + pattern: said(directory, pattern) for pattern in patterns} for directory in directories]))`;

/** What programs find in each directory. */
async function readBack(directories: readonly string[], patterns: readonly string[]): Promise<Found[]> {
  const asked = ["-c", POLARS, JSON.stringify(directories), JSON.stringify(patterns)];
  const byPolars = isPolarsThere ? (JSON.parse(output(python, asked)) as Found[]) : [];
  const byDuckDb = await Array.fromAsync(directories, (directory) => readByDuckDb(directory, patterns));
  return byDuckDb.map((found, i) => ({ ...byPolars[i], ...found }));
}

async function readByDuckDb(directory: string, patterns: readonly string[]): Promise<Found> {
  const duck = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  const found: Record<string, string> = {};
  for (const pattern of patterns) {
    const path = `'${join(directory, pattern)}'`;
    const source = pattern.endsWith(".csv")
      ? `read_csv(${path}, all_varchar = true, allow_quoted_nulls = false)`
      : `${pattern.endsWith(".jsonl") ? "read_json" : "read_parquet"}(${path})`;
    found[pattern] = await duck.runAndReadAll(`SELECT count(*), bit_xor(hash(t)) FROM ${source} AS t`).then(
      (answer) => String(answer.getRows()),
      (error: Error) => error.message.split("\n")[0]?.replaceAll(directory, "") ?? "",
    );
  }
  duck.closeSync();
  return found;
}

/** The files of a directory, with their bytes. */
function filesIn(directory: string): ReadonlyMap<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."));
  return new Map(names.sort().map((name) => [name, readFileSync(join(directory, name)).toString("latin1")]));
}
