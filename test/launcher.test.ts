import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ended } from "./support/command/ended.ts";
import { launcher } from "./support/command/movedex-process.ts";
import { runProcess } from "./support/run-process.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";

const isRoot = process.getuid?.() === 0;

describe("the launcher's compile cache", () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    directory = temporaryDirectory();
    mkdirSync(directory.file("tmp"));
  });

  /** Runs the launcher with these places for a user's files, and checks that nothing was left where all can write. */
  async function run(places: { readonly HOME?: string; readonly XDG_CACHE_HOME?: string }): Promise<void> {
    const { NODE_COMPILE_CACHE: _, XDG_CACHE_HOME: __, ...own } = process.env;
    const env = { ...own, TMPDIR: directory.file("tmp"), HOME: "/dev/null/no-home", ...places };
    const answer = await runProcess(process.execPath, [launcher, "--version"], { env, cwd: directory.path });
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" });
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

describe("the launcher", () => {
  test("refuses an old Node with a sentence", async () => {
    // The launcher reads the version it runs under, so an old one is put in its place.
    const script = `Object.defineProperty(process.versions, "node", { value: "20.20.2" }); await import(${JSON.stringify(launcher)});`;
    const { stderr } = await ended(runProcess(process.execPath, ["--input-type=module", "-e", script]), 1);
    expect(stderr).toMatch(/^movedex needs Node\.js 22\.19\.0 or newer/);
  });
});
