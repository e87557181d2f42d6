import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { sha256Hex } from "../../../src/base/sha256.ts";
import { type DatabaseContent, databaseContent } from "../../support/database-content.ts";
import { ended } from "../../support/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";
import { twoNights } from "../../support/two-nights.ts";

const launcher = fileURLToPath(new URL("../../../bin/movedex.mjs", import.meta.url));
const KILLS = 10;

describe("backup and restore", () => {
  let place: ReturnType<typeof temporaryDirectory>;
  /** Databases after the first night, and after both. */
  let first: string;
  let second: string;
  let content: { readonly first: DatabaseContent; readonly second: DatabaseContent };

  beforeAll(async () => {
    const scene = twoNights(40, 3);
    await using node = await startSimNode({ ledger: scene.ledger });
    place = temporaryDirectory();
    [first, second] = [place.file("first.db"), place.file("second.db")];
    const source = ["--rpc", node.url, "--rate", "0", "--targets", scene.targetsFile(place.file("targets.csv"))];
    const sync = (db: string, version: bigint) => runCli(["sync", ...source, "--db", db, "--ledger-version", `${version}`]);
    await ended(sync(first, scene.first));
    copyFileSync(first, second);
    await ended(sync(second, scene.second));
    content = { first: databaseContent(first), second: databaseContent(second) };
  });
  afterAll(() => place?.[Symbol.dispose]());

  test(`kill -9 at ${KILLS} moments of a backup: the file is the old backup or the new one, and running again makes the new one`, async ({
    place,
  }) => {
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

  test(`kill -9 at ${KILLS} moments of a restore: the place holds the old database or the new one, and running again ends in the new one`, async ({
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
  const child = spawn(process.execPath, [launcher, ...argv], { stdio: "ignore" });
  const exited = once(child, "exit");
  let seen = 0;
  const watcher = watch(directory, () => {
    if (seen++ === events) child.kill("SIGKILL");
  });
  await exited;
  watcher.close();
}
