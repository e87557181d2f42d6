import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { commandsToRead, fullName, programToRead } from "../../scripts/docs/commands.ts";
import { manPages } from "../../scripts/release/man-page.ts";
import { test } from "../support/test.ts";
import { root } from "./support/pages.ts";

const program = await programToRead();
const commands = commandsToRead(program);
const pages = manPages(program, commands, "1.2.3");
const hasMandoc = spawnSync("mandoc", ["-h"]).error === undefined;

describe("manual pages", () => {
  test("there is one of the program and one of each command", () => {
    const names = commands.map((command) => `movedex-${fullName(command).replaceAll(" ", "-")}.1`);
    expect(pages.map(({ file }) => file)).toEqual(["movedex.1", ...names]);
    const { directories } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { directories: Record<string, string> };
    expect(directories, "from where npm links them").toEqual({ man: "dist/man" });
  });

  test("no line of prose is taken for a request, and every hyphen can be copied", () => {
    const requests = /^\.(?:\\"|TH|SH|TP|B|I|nf|fi)/;
    for (const { file, text } of pages) {
      expect([file, text.split("\n").filter((line) => /^[.']/.test(line) && !requests.test(line))]).toEqual([file, []]);
      expect([file, text.split("\n").filter((line) => !/^\.(?:\\"|TH)/.test(line) && /(?<!\\)-/.test(line))]).toEqual([file, []]);
    }
  });

  test.skipIf(!hasMandoc)(
    "mandoc reads them without a warning but that of the date, which is left out (skipped without mandoc)",
    ({ place }) => {
      const files = pages.map(({ file, text }) => {
        writeFileSync(place.file(file), text);
        return place.file(file);
      });
      const { stdout } = spawnSync("mandoc", ["-Tlint", "-W", "warning", ...files], { encoding: "utf8" });
      expect(stdout.split("\n").filter((line) => line !== "" && !line.includes("missing date"))).toEqual([]);
      const overstruck = new RegExp(`.${String.fromCharCode(8)}`, "g");
      const shown = spawnSync("mandoc", ["-Tutf8", place.file("movedex-sync.1")], { encoding: "utf8" }).stdout.replaceAll(overstruck, "");
      expect(shown).toMatch(/--max-requests <n>\s+stop after/);
      expect(shown).toContain("$ movedex sync");
    },
  );
});
