import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { makeDirectory, requirePlace, systemReason, writeWhole } from "../../src/core/base/files.ts";
import { temporaryDirectory, test } from "../support/index.ts";

/** A second /dev/null, which a fault may destroy; undefined where making one is not allowed. */
function makeDevice(path: string): string | undefined {
  if (spawnSync("mknod", [path, "c", "1", "3"]).status !== 0) return undefined;
  try {
    writeFileSync(path, "");
    return path;
  } catch {
    return undefined;
  }
}

const place = temporaryDirectory();
const device = makeDevice(place.file("null"));

test.for(["there", "not there yet"])("a file that is %s and that links lead to is replaced, and the links stay", (state) => {
  using own = temporaryDirectory();
  mkdirSync(own.file("deep/er"), { recursive: true });
  if (state === "there") writeFileSync(own.file("deep/real.md"), "old and longer");
  symlinkSync("deep/er", own.file("folder"));
  symlinkSync("folder/../real.md", own.file("second"));
  symlinkSync(own.file("second"), own.file("first"));
  requirePlace(own.file("first"));
  writeWhole(own.file("first"), "new");
  expect(readFileSync(own.file("deep/real.md"), "utf8")).toBe("new");
  expect([readlinkSync(own.file("first")), readlinkSync(own.file("second"))]).toEqual([own.file("second"), "folder/../real.md"]);
  expect(readdirSync(own.path).sort()).toEqual(["deep", "first", "folder", "second"]);
  expect(readdirSync(own.file("deep")).sort()).toEqual(["er", "real.md"]);
});

test("a file for another user may be read by that one, whatever the umask is", () => {
  using own = temporaryDirectory();
  writeWhole(own.file("for-others"), "new", 0o604);
  expect(statSync(own.file("for-others")).mode & 0o777).toBe(0o604);
});

test("links that go round in a circle and directories are refused, and nothing is left beside them", () => {
  using own = temporaryDirectory();
  symlinkSync("b", own.file("a"));
  symlinkSync("a", own.file("b"));
  mkdirSync(own.file("folder"));
  for (const act of [requirePlace, (path: string) => writeWhole(path, "x")]) {
    expect(() => act(own.file("a"))).toThrow("ELOOP");
    expect(() => act(own.file("folder"))).toThrow("EISDIR");
    expect(() => act(own.file("none/x"))).toThrow("ENOENT");
  }
  expect(readdirSync(own.path).sort()).toEqual(["a", "b", "folder"]);
});

test("a FIFO is written to, and stays one", async () => {
  using own = temporaryDirectory();
  const fifo = own.file("fifo");
  execFileSync("mkfifo", [fifo]);
  const reader = spawn("cat", [fifo]);
  const long = "0123456789".repeat(20_000);
  const read = text(reader.stdout);
  writeWhole(fifo, long);
  expect((await read) === long).toBe(true);
  expect([lstatSync(fifo).isFIFO(), readdirSync(own.path)]).toEqual([true, ["fifo"]]);
});

test.skipIf(device === undefined)("a device is written to, and stays one (skipped where none can be made)", () => {
  requirePlace(device ?? "");
  writeWhole(device ?? "", "text");
  expect([lstatSync(device ?? "").isCharacterDevice(), readdirSync(place.path)]).toEqual([true, ["null"]]);
});

test("the process's own output is written to where it stands, be it a file or a pipe", () => {
  using own = temporaryDirectory();
  const module = fileURLToPath(new URL("../../src/core/base/files.ts", import.meta.url));
  const script = `console.log("before"); (await import(${JSON.stringify(module)})).writeWhole("/dev/stdout", "whole\\n"); console.log("after");`;
  const words = ["--experimental-strip-types", "--no-warnings", "--input-type=module", "-e", script];
  expect(execFileSync(process.execPath, words, { encoding: "utf8" })).toBe("before\nwhole\nafter\n");
  writeFileSync(own.file("out"), "earlier\n");
  execFileSync("sh", ["-c", 'out=$1; shift; exec "$@" >> "$out"', "sh", own.file("out"), process.execPath, ...words]);
  expect(readFileSync(own.file("out"), "utf8")).toBe("earlier\nbefore\nwhole\nafter\n");
});

test("directories are made with those above them, and what the system makes none of ends as a failure", () => {
  using own = temporaryDirectory();
  for (const _ of ["new", "there"]) makeDirectory(own.file("a/b/c"));
  writeFileSync(own.file("file"), "");
  expect(readdirSync(own.file("a/b"))).toEqual(["c"]);
  expect(() => makeDirectory(own.file("file/below"))).toThrow("EEXIST");
  if (existsSync("/proc/self")) expect(() => makeDirectory("/proc/none/below")).toThrow("ENOENT");
});

const reasonOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return systemReason(error);
  }
  return "nothing went wrong";
};

test("a failure of the system is told in its words, one of Node's own by its code, another as it is", () => {
  const place = temporaryDirectory();
  mkdirSync(place.file("folder"));
  expect(reasonOf(() => readFileSync(place.file("none")))).toBe("no such file or directory (ENOENT)");
  expect(reasonOf(() => rmSync(place.file("folder")))).toBe("ERR_FS_EISDIR");
  expect(systemReason(new Error("odd"))).toBe("Error: odd");
});
