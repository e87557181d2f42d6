import { copyFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect } from "vitest";
import { asWords } from "../../support/command/as-words.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";
import { named } from "../../witnesses/programs.ts";
import {
  between,
  killedUpdates,
  missingPolars,
  patternsOf,
  readByDuckDb,
  readByPolars,
  runAgain,
  type Update,
} from "./support/killed-exports.ts";
import { holdTwoNights } from "./support/two-nights-held.ts";

const MOMENTS = 20;

/** What a table has of each snapshot. */
async function bySnapshot(directory: string): Promise<string[]> {
  const duck = await (await DuckDBInstance.create(":memory:")).connect();
  const answer = await duck.runAndReadAll(
    `SELECT ledger_version, count(*), bit_xor(hash(t)) FROM read_parquet('${directory}/*/functions_at.parquet') t GROUP BY 1 ORDER BY 1`,
  );
  duck.closeSync();
  return answer.getRows().map(String);
}

describe("an export that is killed", async () => {
  const { scene, node, first, second, sync } = await holdTwoNights(12, 4);
  const syncOne = (db: string, version: bigint) =>
    ended(
      runCli(asWords`sync --rpc ${node.url} --db ${db} --account ${scene.addresses[0] as string} --ledger-version ${version} --rate 0`),
    );
  const place = temporaryDirectory();
  // The first night has one account; later it is filled, and the second night is there too.
  const part = place.file("part.db");
  await syncOne(part, scene.first);
  const filled = place.file("filled.db");
  copyFileSync(part, filled);
  await ended(sync(filled, scene.first));
  await ended(sync(filled, scene.second));

  test("while files of several parts change, has each snapshot's rows of a table once, as they were or as they are", async ({
    place: own,
  }) => {
    const [before, db] = [own.file("before"), own.file("nights.db")];
    for (const version of [scene.first, scene.second]) {
      await syncOne(db, version);
      await ended(runCli(["export", before, "--db", db, "--at", "all"]));
    }
    for (const version of [scene.first, scene.second]) await ended(sync(db, version));
    const { after, killed } = await killedUpdates(own.path, { before, format: "parquet", argv: ["--db", db] }, MOMENTS);
    const [old, fresh] = [await bySnapshot(before), await bySnapshot(after)];
    expect(old).toHaveLength(2);
    for (const directory of killed) {
      const found = await bySnapshot(directory);
      expect([directory, found]).toEqual([directory, found.map((_, i) => (found[i] === old[i] ? old[i] : fresh[i]))]);
      expect(found).toHaveLength(2);
      await runAgain(directory, after, ["--db", db]);
    }
  });

  const updates = [
    ["a further night", first, second],
    ["a night that is filled, and a further one", part, filled],
  ] as const;
  const partitioned = ["a further night in partitions", first, second, "--partition"] as const;
  for (const format of ["csv", "jsonl", "parquet"] as const) {
    for (const [what, from, to, ...more] of format === "parquet" ? [...updates, partitioned] : updates) {
      const name = `at ${MOMENTS} moments of ${what}, in ${format}: each table is the old one or the new one, which running again makes`;
      test(named(`${name}${missingPolars === undefined ? "" : ", as DuckDB reads it"}`, missingPolars), async ({ place: own }) => {
        const before = own.file("before");
        const argv = ["--format", format, ...more];
        await ended(runCli(["export", before, "--db", from, ...argv]));
        const update: Update = { before, format, isPartitioned: more.length > 0, argv: ["--db", to, ...argv] };
        const { after, killed } = await killedUpdates(own.path, update, MOMENTS);
        const patterns = patternsOf(update);
        const readers = [
          (directories: readonly string[]) => Promise.all(directories.map((directory) => readByDuckDb(directory, patterns))),
          ...(missingPolars === undefined ? [async (directories: readonly string[]) => readByPolars(directories, patterns)] : []),
        ];
        for (const readBy of readers) {
          const [old = {}, fresh = {}, ...found] = await readBy([before, after, ...killed]);
          expect(between(fresh, old, old)).not.toEqual([]);
          expect(found.map((one, i) => [killed[i], between(one, old, fresh)]).filter(([, wrong]) => wrong?.length)).toEqual([]);
        }
        for (const directory of killed) await runAgain(directory, after, update.argv);
      });
    }
  }
});
