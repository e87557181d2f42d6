import { cpSync, readdirSync, readFileSync, rmSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { sha256Hex } from "../../../src/base/sha256.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { ended } from "../../support/command/ended.ts";
import { startMovedex, wasKilled } from "../../support/command/movedex-process.ts";
import { runCli } from "../../support/run-cli.ts";
import { test } from "../../support/test.ts";

/** After how many changes below the directory a run is killed: while pages are made, and while they are moved into place. */
const KILLS = [1, 60, 120, 200];

/** What a visitor may be given: every file by its SHA-256, without what is laid ready. */
const servedOf = (directory: string): Map<string, string> =>
  new Map(
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => !name.startsWith(".") && statSync(join(directory, name)).isFile())
      .map((name) => [name, sha256Hex(readFileSync(join(directory, name)))]),
  );

test("kill -9 in a run: every file is the old one or the new one, and the next run ends with the whole site", async ({ place }) => {
  const [db, first, second, site] = ["night.db", "first", "second", "site"].map((name) => place.file(name)) as [
    string,
    string,
    string,
    string,
  ];
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const accounts = [...sample.codeAccounts, sample.trader];
  const make = (directory: string) => runCli(["site", directory, "--db", db, "--no-data"]);
  await crawl(db, node.url, accounts);
  await ended(make(first));
  sample.passDay();
  await crawl(db, node.url, accounts);
  await ended(make(second));
  const [before, after] = [servedOf(first), servedOf(second)];
  let cut = 0;
  for (const changes of KILLS) {
    rmSync(site, { recursive: true, force: true });
    cpSync(first, site, { recursive: true, preserveTimestamps: true });
    const child = startMovedex(["site", site, "--db", db, "--no-data"]);
    let seen = 0;
    const watcher = watch(site, { recursive: true }, () => {
      if (++seen === changes) child.kill("SIGKILL");
    });
    if (await wasKilled(child)) cut += 1;
    watcher.close();
    for (const [file, digest] of servedOf(site))
      if (file !== "manifest.sha256" && !file.endsWith(".part"))
        expect([before.get(file), after.get(file)], `${file}, killed after ${changes} changes`).toContain(digest);
    await ended(make(site));
    expect(servedOf(site)).toEqual(after);
  }
  expect(cut).toBeGreaterThan(1);
});
