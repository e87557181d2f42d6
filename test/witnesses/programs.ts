import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
/** Where `.ci/run` puts Python with what requirements.txt names. */
const own = join(here, "../../.witnesses/bin/python3");
const oldest = join(here, "../../.witnesses/sqlite-3.37.2.so");

/** The Python that the tests ask: that of `.ci/run`, or the machine's. */
export const python: string = existsSync(own) ? own : "python3";

/** Runs a program; what it prints. @throws Error with what it said where it failed */
export function output(program: string, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: 120_000,
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${error ?? status}\n${stdout}${stderr}`);
  return String(stdout);
}

/** What a Python script of this folder answers: JSON on its last line. */
export function answerOf(script: string, ...args: readonly string[]): unknown {
  const said = output(python, [join(here, "python", script), ...args]);
  return JSON.parse(said.trimEnd().split("\n").at(-1) ?? "");
}

/** Why a test cannot run here, to be put behind its name; undefined where it can. */
export function missingModules(...modules: readonly string[]): string | undefined {
  const { status } = spawnSync(python, ["-c", `import ${modules.join(", ")}`]);
  return status === 0 ? undefined : `no Python with ${modules.join(" and ")} here`;
}

/** What makes Python's own sqlite3 load SQLite 3.37.2. */
export const withOldestSqlite: NodeJS.ProcessEnv = { ...process.env, LD_PRELOAD: oldest };

/** Why Python cannot be asked with SQLite 3.37.2 here. */
export const missingOldest: string | undefined = existsSync(oldest)
  ? missingModules("sqlite3")
  : "test/witnesses/oldest-sqlite.sh was not run";

/** The same of the program `sqlite3`. */
export const missingShell: string | undefined = spawnSync("sqlite3", ["-version"]).status === 0 ? undefined : "no sqlite3 here";

/** A test's name, with why it is skipped. */
export const named = (name: string, missing: string | undefined): string =>
  missing === undefined ? name : `${name} (skipped: ${missing})`;
