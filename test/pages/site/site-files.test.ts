import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { takeLock } from "../../../src/engine/sqlite/lock.ts";
import { beginSite, publishSite, stageFiles } from "../../../src/pages/site/site-files.ts";
import { test } from "../../support/test.ts";

test("takes nothing that an ended run had moved for what the manifest before it says", ({ place }) => {
  const directory = place.file("site");
  const make = (night: string): number => {
    const lock = beginSite(directory, 1, 0);
    const put = stageFiles(directory);
    try {
      return publishSite(
        directory,
        ["module/a.html", "module/b.html", "index.html"].map((file) => put(file, Buffer.from(`${file} ${night}`))),
        new Map(),
      );
    } finally {
      lock.release();
    }
  };
  const pages = (): string[] => ["module/a.html", "module/b.html", "index.html"].map((file) => readFileSync(join(directory, file), "utf8"));
  make("1");
  const before = pages();
  // As a kill does it: the first file is in place, the others are not.
  rmSync(join(directory, "module/b.html"));
  mkdirSync(join(directory, "module/b.html/in the way"), { recursive: true });
  expect(() => make("2")).toThrow();
  expect(readFileSync(join(directory, "module/a.html"), "utf8")).toBe("module/a.html 2");
  rmSync(join(directory, "module/b.html"), { recursive: true });
  // The same bytes in number as those that lie there.
  make("1");
  expect(pages()).toEqual(before);
});

test("one run at a time writes into a directory", ({ place }) => {
  const directory = place.file("site");
  const lock = beginSite(directory, 1, 0);
  expect(() => beginSite(directory, 1, 0)).toThrow(
    expect.objectContaining({
      code: "MOVEDEX_STORE_LOCKED",
      message: expect.stringContaining(`another run of movedex is writing the site in \`${directory}\` (process ${process.pid}`),
    }),
  );
  lock.release();
  takeLock(directory, 0, "site").release();
});
