import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ended, launcher, runProcess, temporaryDirectory } from "./support/index.ts";
import { findNode } from "./support/package/pack.ts";

const isRoot = process.getuid?.() === 0;

const place = temporaryDirectory();
/** The launcher as npm installs it: without the sources beside it. */
const installed = place.file("bin/movedex.mjs");
/** The program that it starts, in the place of movedex. */
const startsProgram = (main: string): void => writeFileSync(place.file("dist/main.js"), `export const main = ${main};\n`);
beforeAll(() => {
  const root = join(dirname(launcher), "..");
  for (const name of ["bin", "package.json"]) cpSync(join(root, name), place.file(name), { recursive: true });
  mkdirSync(place.file("dist"));
});

describe("the launcher's compile cache", () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    startsProgram('() => void process.stdout.write("started")');
    directory = temporaryDirectory();
    mkdirSync(directory.file("tmp"));
  });

  /** Runs the launcher with these places for a user's files, and checks that nothing was left where all can write. */
  async function run(places: { readonly HOME?: string; readonly XDG_CACHE_HOME?: string }): Promise<void> {
    const { NODE_COMPILE_CACHE: _, XDG_CACHE_HOME: __, ...own } = process.env;
    const env = { ...own, TMPDIR: directory.file("tmp"), HOME: "/dev/null/no-home", ...places };
    const answer = await runProcess(process.execPath, [installed], { env, cwd: directory.path });
    expect(answer).toEqual({ code: 0, stdout: "started", stderr: "" });
    expect(readdirSync(directory.file("tmp"))).toEqual([]);
  }
  const modeOf = (path: string): number => lstatSync(path).mode & 0o777;
  const madeIn = (path: string): number => readdirSync(path).length;

  test("lies in ~/.cache/movedex, which only the user can enter", async () => {
    mkdirSync(directory.file("home"));
    await run({ HOME: directory.file("home") });
    expect(modeOf(directory.file("home/.cache/movedex"))).toBe(0o700);
    expect(madeIn(directory.file("home/.cache/movedex"))).toBe(1);
  });

  test("lies in XDG_CACHE_HOME where that is set to a full path", async () => {
    await run({ XDG_CACHE_HOME: directory.file("cache"), HOME: directory.file("home") });
    expect(madeIn(directory.file("cache/movedex"))).toBe(1);
    await run({ XDG_CACHE_HOME: "cache-here", HOME: directory.file("home") });
    expect(readdirSync(directory.path).sort()).toEqual(["cache", "home", "tmp"]);
    expect(madeIn(directory.file("home/.cache/movedex"))).toBe(1);
  });

  test("is done without where no folder can be made", () => run({ HOME: "/dev/null/no-home" }));

  test.each([
    ["the group", 0o770],
    ["everybody", 0o707],
  ])("does not use a folder that %s can write to", async (_, mode) => {
    mkdirSync(directory.file("cache/movedex"), { recursive: true });
    chmodSync(directory.file("cache/movedex"), mode);
    await run({ XDG_CACHE_HOME: directory.file("cache") });
    expect(madeIn(directory.file("cache/movedex"))).toBe(0);
  });

  test("does not use a folder that others could put another in place of", async () => {
    mkdirSync(directory.file("open/cache/movedex"), { recursive: true, mode: 0o700 });
    chmodSync(directory.file("open"), 0o777);
    await run({ XDG_CACHE_HOME: directory.file("open/cache") });
    expect(madeIn(directory.file("open/cache/movedex"))).toBe(0);
    // Where others may add but not rename or remove, as in /tmp, a folder of one's own is safe.
    chmodSync(directory.file("open"), 0o1777);
    await run({ XDG_CACHE_HOME: directory.file("open/cache") });
    expect(madeIn(directory.file("open/cache/movedex"))).toBe(1);
  });

  test("does not follow a link that stands in its place", async () => {
    mkdirSync(directory.file("cache"));
    mkdirSync(directory.file("elsewhere"), { mode: 0o700 });
    symlinkSync(directory.file("elsewhere"), directory.file("cache/movedex"));
    await run({ XDG_CACHE_HOME: directory.file("cache") });
    expect(madeIn(directory.file("elsewhere"))).toBe(0);
  });

  test.runIf(isRoot)("neither uses nor makes anything in a folder of somebody else", async () => {
    for (const name of ["theirs", "home"]) mkdirSync(join(directory.path, name));
    mkdirSync(directory.file("theirs/movedex"), { mode: 0o700 });
    chownSync(directory.file("theirs/movedex"), 12345, 12345);
    await run({ XDG_CACHE_HOME: directory.file("theirs") });
    expect(madeIn(directory.file("theirs/movedex"))).toBe(0);
    chownSync(directory.file("home"), 12345, 12345);
    await run({ HOME: directory.file("home") });
    expect(madeIn(directory.file("home"))).toBe(0);
  });
});

/** A Node.js of the machine that is too old for movedex. */
function machinesNode(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const node = folders.map((folder) => join(folder, "node")).find((file) => existsSync(file));
  const version = node === undefined ? "" : execFileSync(node, ["--version"], { encoding: "utf8" });
  return Number.parseInt(version.slice(1), 10) < 24 ? node : undefined;
}

describe("the launcher", () => {
  /** What the launcher says under another version than that which runs it. */
  const under = (version: string, file: string) => {
    const script = `Object.defineProperty(process.versions, "node", { value: "${version}" }); await import(${JSON.stringify(file)});`;
    return runProcess(process.execPath, ["--input-type=module", "-e", script]);
  };
  const needs = (binary: string) => `movedex needs Node.js 24 or newer, and this is ${process.version} (${binary}).\n`;
  const inClone = "In a clone run `npm ci` once, and then `npx movedex`: it uses the Node.js that npm has installed there.\n";

  test.each(["20.20.2", "22.23.3", "23.11.1"])("refuses Node.js %s with a sentence", async (version) => {
    const { stdout, stderr } = await ended(under(version, launcher), 1);
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: needs(process.execPath) + inClone });
  });

  test("takes the oldest that it names", async () => {
    expect((await under("24.0.0", launcher)).stderr).toContain("Usage: movedex");
  });

  test("tells who installed the package what to install, and no command of a clone", async () => {
    const { stderr } = await ended(under("20.20.2", installed), 1);
    expect(stderr.split("\n")).toEqual([
      needs(process.execPath).trimEnd(),
      "Install a newer Node.js from https://nodejs.org/, and then movedex again with the npm that comes with it.",
      "If you have a newer one, put its folder first in PATH. Cron and services have a PATH of their own.",
      "Releases of movedex also have archives with Node.js inside: https://github.com/movedex/movedex/releases",
      "",
    ]);
  });

  test.for([
    { which: "the machine's own", node: machinesNode() },
    { which: "12.22.9, as a distribution had it,", node: findNode("12.22.9") },
  ])("says so under a real old Node.js: $which (skipped where there is none)", async ({ node }, { skip }) => {
    if (node === undefined) return skip();
    for (const [file, advice] of [
      [launcher, inClone],
      [installed, "Install a newer Node.js"],
    ] as const) {
      const { stdout, stderr } = await ended(runProcess(node, [file, "status"]), 1);
      expect(stdout).toBe("");
      expect(stderr.split(advice)[0]).toMatch(/^movedex needs Node\.js 24 or newer, and this is v\d+\.\d+\.\d+ \(\/.*\)\.\n$/);
    }
  });

  test("ends with 13 where the program stops without an end", async () => {
    startsProgram("() => new Promise(() => {})");
    await ended(runProcess(process.execPath, [installed, "status"]), 13);
  });
});
