import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { ended } from "../../support/command/ended.ts";
import { bytesIn, errorOf, sync, useHeldNight } from "../../support/held-night.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";

const at = useHeldNight();

describe("what goes wrong on the command line", () => {
  const bad = "0xzz\u001b[31m";
  const malformed: readonly (readonly [string, readonly string[]])[] = [
    ["--account", ["sync", "--rpc", "http://127.0.0.1:1/v1", "--account", bad]],
    ["targets add", ["targets", "add", bad]],
    ["targets remove", ["targets", "remove", bad]],
  ];
  test.each(malformed)("a malformed address in %s is named, and nothing is made", async (_, argv) => {
    using own = temporaryDirectory();
    const result = await ended(runCli([...argv, "--db", own.file("x.db")]), 64);
    expect(result.stderr).toContain("0xzz\\u{1b}[31m' is invalid");
    expect(readdirSync(own.path)).toEqual([]);
  });

  test("an account that nobody has is an answer: no modules, no gap", async ({ place }) => {
    const result = await ended(sync(at.node.url, place.file("x.db"), "--account", "0xabcdef"));
    expect(result.json()).toMatchObject({ status: "sealed", accounts: 1, modules: 0, gaps: 0 });
  });

  test("a targets file with a bad line is refused whole, with the line", async () => {
    using own = at.copyOfHeld();
    const file = own.file("list.csv");
    writeFileSync(file, "address\n0x1\n0x2,fine\nnot an address\n");
    const before = bytesIn(own.path);
    for (const argv of [
      ["sync", "--rpc", at.node.url, "--targets", file],
      ["targets", "import", file],
    ]) {
      const { stderr } = await ended(runCli([...argv, "--db", own.db]), 64);
      expect(stderr).toMatch(/list\.csv, line 4: `not an address` is not an account address .*\. No address was added/);
    }
    expect(bytesIn(own.path)).toEqual(before);
  });

  test("a targets file that is not there, and one without an address, are named", async ({ place }) => {
    const missing = await sync(at.node.url, place.file("x.db"), "--targets", place.file("none.csv"));
    expect(errorOf(missing).message).toMatch(/could not read the targets file `.*none\.csv`: no such file or directory \(ENOENT\)/);
    writeFileSync(place.file("empty.csv"), "# nothing\n");
    const empty = await sync(at.node.url, place.file("x.db"), "--targets", place.file("empty.csv"));
    expect([missing.code, empty.code]).toEqual([64, 64]);
    expect(errorOf(empty).message).toContain("names no account");
  });

  test("a node that nobody named is asked for", async ({ place }) => {
    const result = await ended(runCli(["sync", "--db", place.file("x.db"), "--json"]), 64);
    expect(errorOf(result)).toMatchObject({ code: "MOVEDEX_CONFIG", message: expect.stringContaining("Give --network NAME or --rpc URL") });
  });

  test("a directory in place of a database is called one, whatever the command", async ({ place }) => {
    const path = place.file("folder");
    mkdirSync(path);
    for (const argv of [["status"], ["verify"], ["query", "SELECT 1"], ["targets", "list"], ["show", "coin"]]) {
      const { stderr } = await ended(runCli([...argv, "--db", path]), 1);
      expect(stderr, argv[0]).toContain(`could not open the database \`${path}\`: it is a directory. Name a file with --db.`);
    }
    expect(readdirSync(path)).toEqual([]);
  });

  test("a folder of anything is no archive to import", async ({ place }) => {
    mkdirSync(place.file("folder"));
    writeFileSync(place.file("folder/notes.txt"), "x");
    const { stderr } = await ended(runCli(["import", place.file("folder"), "--db", place.file("x.db")]), 64);
    expect(stderr).toContain("folder` is not an archive. Name a movedex database, a folder with .mv files");
  });

  test("an option's error ends with an object too when --json is given", async () => {
    const result = await ended(runCli(["sync", "--json", "--rate", "fast"]), 64);
    expect(result.json()).toMatchObject({ error: { code: "MOVEDEX_USAGE", message: expect.stringContaining("requests per second") } });
  });
});
