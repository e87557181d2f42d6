import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { makeDirectory } from "../../../src/base/files/durable-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";

test("directories are made with those above them, and what the system makes none of ends as a failure", () => {
  using own = temporaryDirectory();
  for (const _ of ["new", "there"]) makeDirectory(own.file("a/b/c"));
  writeFileSync(own.file("file"), "");
  expect(readdirSync(own.file("a/b"))).toEqual(["c"]);
  expect(() => makeDirectory(own.file("file/below"))).toThrow("EEXIST");
  if (existsSync("/proc/self")) expect(() => makeDirectory("/proc/none/below")).toThrow("ENOENT");
});
