import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageVersion } from "../../../src/core/base/files.ts";
import { type CliResult, copyKeptArchive, ManualClock, runCli, temporaryDirectory } from "../../support/index.ts";
import { copySampleArchive, NOW_MS } from "./sample-archive.ts";
import { makeWideArchive } from "./wide-archive.ts";

const outputs = fileURLToPath(new URL("../outputs/", import.meta.url));

/**
 * A golden file and the command line that prints it, as a person types it after `movedex`. Of a `.txt` the file has the command line,
 * stdout, what stands on stderr and an exit code other than 0, as on a terminal of 80 columns without colours. Of any other file it has
 * the bytes of stdout alone.
 */
export type GoldenCase = readonly [file: string, line: string, options?: GoldenOptions];

export type GoldenOptions = {
  /** The exit code of what is no `.txt`; default 0. */
  readonly code?: number;
  /** Whether the terminal has colours. */
  readonly isColoured?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Whether time stands still. Without it the clock jumps over each wait, so that what has a time limit ends at once. */
  readonly isStill?: boolean;
  /** What is done before, in the directory of the file's tests. */
  readonly prepare?: () => void | Promise<void>;
  /** A file that the command writes: the golden file has its content. */
  readonly written?: string;
  /** A directory that the command writes: its files stand below a `.txt`. */
  readonly lists?: string;
};

/**
 * Sets the place of a file's golden tests: a directory with the sample archive as `night.db`, and `wide.db` where it is asked for, in
 * which the process works until the file ends. So paths are short and the same everywhere. Chance is fixed, too.
 */
export function useGoldenPlace({ withWide = false } = {}): void {
  const place = temporaryDirectory();
  fixSurroundings(async () => {
    process.chdir(place.path);
    await copySampleArchive(".");
    if (withWide) await copyKeptArchive("wide.db", makeWideArchive);
  });
}

/** Fixes chance while a file's tests run, which work in directories of their own. */
export function fixSurroundings(prepare: () => Promise<void>): void {
  const home = process.cwd();
  const { random } = Math;
  beforeAll(async () => {
    // A pause before a request is repeated has a random part.
    Math.random = () => 0.5;
    await prepare();
  });
  afterAll(() => {
    Math.random = random;
    process.chdir(home);
  });
}

/** Declares a test that a folder has no golden files but these. */
export function holdsNoOthers(folder: string, files: readonly string[]): void {
  test(`${folder}: each golden file is some test's`, () => {
    const held = existsSync(outputs + folder) ? readdirSync(outputs + folder) : [];
    expect(held.filter((file) => !files.includes(file))).toEqual([]);
  });
}

/** Declares a test for each golden file in the folder of a command, and one that the folder has no others. */
export function goldenOutputs(command: string, cases: readonly GoldenCase[]): void {
  for (const [file, line, options = {}] of cases) {
    test(`${command}/${file}`, async () => {
      await options.prepare?.();
      const result = await runGolden(line, options);
      const { written, lists } = options;
      const isText = written === undefined && file.endsWith(".txt");
      if (!isText) expect(result.code, result.stderr).toBe(options.code ?? 0);
      const printed = isText ? `${transcript(line, result)}${lists === undefined ? "" : listing(lists)}` : result.stdout;
      await expectGolden(`${command}/${file}`, written === undefined ? printed : readFileSync(written, "utf8"));
    });
  }

  holdsNoOthers(
    command,
    cases.map(([file]) => file),
  );
}

/** Runs a command line on a terminal of 80 columns, an hour after the archive's last night. */
function runGolden(line: string, { isColoured = false, env = {}, stdin, isStill = false }: GoldenOptions = {}): Promise<CliResult> {
  return runCli(wordsOf(line), {
    env: { DATABASE_URL: "night.db", ...(isColoured ? {} : { NO_COLOR: "1" }), ...env },
    clock: new ManualClock({ startMs: NOW_MS, skipSleeps: !isStill }),
    terminal: 80,
    ...(stdin === undefined ? {} : { stdin }),
  });
}

/** What a person sees of a command: the line, stdout, then stderr, and the exit code where it is another than 0. */
export function transcript(line: string, { code, stdout, stderr }: CliResult): string {
  // Which requests are done when the log is written, every 30 s, is a matter of the machine.
  const said = stderr.replace(/^\{.*"accounts_planned":.*\n/gm, "");
  const parts = [`$ movedex ${line}\n`, stdout, said === "" ? "" : `[stderr]\n${said}`, code === 0 ? "" : `[exit code ${code}]\n`];
  return parts.join("");
}

function listing(directory: string): string {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((path) => join(directory, path));
  const files = paths.filter((path) => statSync(path).isFile()).toSorted();
  return `[files]\n${files.map((path) => `${path}\n`).join("")}`;
}

/** Compares with a file below `test/golden/outputs`; `npx vitest run -u` writes it anew. */
export async function expectGolden(file: string, text: string): Promise<void> {
  await expect(masked(text)).toMatchFileSnapshot(outputs + file);
}

/** What no clock and no option fixes has a name in its place, as the port of a simulated node; how far a run is by a time is left out. */
function masked(text: string): string {
  return (
    text
      .replaceAll(/(127\.0\.0\.1):\d+/g, "$1:<port>")
      // Of a receiver's address there is a hash beside it.
      .replaceAll(/(127\.0\.0\.1:<port>) \([0-9a-f]{8}\)/g, "$1 (<hash>)")
      .replaceAll(/\bpid \d+/g, "pid <pid>")
      .replaceAll(/\b[\d.]+ .B free on its disk/g, "<size> free on its disk")
      .replaceAll(/^\{"time":.*"accounts_done":.*\n/gm, "")
      .replaceAll(packageVersion(), "<version>")
  );
}

/** The words of a command line as a shell parts them: quotes keep words together. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}
