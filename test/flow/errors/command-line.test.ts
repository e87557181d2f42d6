import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { ended } from "../../support/command/ended.ts";
import { errorOf, sync, useHeldNight } from "../../support/held-night.ts";
import { runCli } from "../../support/run-cli.ts";
import { test } from "../../support/test.ts";

const at = useHeldNight();

describe("what goes wrong on the command line", () => {
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

  test("an option's error ends with an object too when --json is given", async () => {
    const result = await ended(runCli(["sync", "--json", "--rate", "fast"]), 64);
    expect(result.json()).toMatchObject({ error: { code: "MOVEDEX_USAGE", message: expect.stringContaining("requests per second") } });
  });
});
