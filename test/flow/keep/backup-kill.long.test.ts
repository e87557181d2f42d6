import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect } from "vitest";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { databaseContent, ended, runCli, startMovedex, test } from "../../support/index.ts";
import { holdTwoNights } from "./support/two-nights-held.ts";

const KILLS = 10;

describe("backup and restore", async () => {
  const { first, second } = await holdTwoNights(40, 3);
  const content = { first: databaseContent(first), second: databaseContent(second) };

  test(`kill -9 at ${KILLS} moments of a backup: the file is the old one or the new one, which running again makes`, async ({ place }) => {
    const copy = place.file("copy.db.zst");
    await ended(runCli(["backup", copy, "--db", first]));
    const [before, argv] = [sha256Hex(readFileSync(copy)), ["backup", copy, "--db", second]];
    const seen = new Set<string>();
    for (let n = 0; n < KILLS; n++) {
      await killedAtEvent(argv, place.path, n);
      seen.add(sha256Hex(readFileSync(copy)));
    }
    await ended(runCli(argv));
    const after = sha256Hex(readFileSync(copy));
    expect([...seen].filter((digest) => digest !== before && digest !== after)).toEqual([]);
    expect(readdirSync(place.path)).toEqual([basename(copy)]);
    await runCli(["restore", copy, "--db", place.file("back.db")]);
    expect(databaseContent(place.file("back.db"))).toEqual(content.second);
  });

  test(`kill -9 at ${KILLS} moments of a restore: the database is the old one or the new one, which running again makes`, async ({
    place,
  }) => {
    const [db, copy] = [place.file("night.db"), place.file("copy.zst")];
    await ended(runCli(["backup", copy, "--db", second]));
    const argv = ["restore", copy, "--db", db, "--replace"];
    for (let n = 0; n < KILLS; n++) {
      for (const name of readdirSync(place.path)) if (name !== "copy.zst") writeFileSync(place.file(name), "");
      copyFileSync(first, db);
      await killedAtEvent(argv, place.path, n);
      expect(existsSync(db)).toBe(true);
      expect([content.first, content.second]).toContainEqual(databaseContent(db));
      await ended(runCli([...argv, "--json"]));
      expect(databaseContent(db)).toEqual(content.second);
    }
  });
});

/** Starts a command line and kills it once the directory has changed so many times. */
async function killedAtEvent(argv: readonly string[], directory: string, events: number): Promise<void> {
  const child = startMovedex(argv);
  const exited = once(child, "exit");
  let seen = 0;
  const watcher = watch(directory, () => {
    if (seen++ === events) child.kill("SIGKILL");
  });
  await exited;
  watcher.close();
}
