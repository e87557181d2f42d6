import { beforeAll, describe, expect, test } from "vitest";
import { faults, type SimNode, startSimNode } from "../../../sim/index.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun, sized } from "../../run-size.ts";
import { asWords, databaseContent, ended, ManualClock, runCli, temporaryDirectory, twoNights } from "../../support/index.ts";
import { sharedServers } from "../../support/postgres/servers.ts";
import { expectSamePublicRows, publicRows } from "../server/public-rows.ts";

const scene = twoNights(24);
const place = temporaryDirectory();
const quiet = place.file("quiet.db");

describe("nights with a fifth of all answers faulty", () => {
  beforeAll(async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await readBothNights(node, quiet, 4);
  });

  test.each(sized([1], [1, 2, 3, 4, 5, 6]))("are as quiet ones: seed %i", async (seed) => {
    const db = place.file(`${seed}.db`);
    await readFaultyNights(db, seed);
    expect(databaseContent(db)).toEqual(databaseContent(quiet));
  });

  const onServer: Parameters<typeof eachPostgres>[1] = (open) => {
    test.each([1, 2])("are in every view as quiet ones on a file: seed %i", async (seed) => {
      const db = (await open()).url();
      await readFaultyNights(db, seed);
      await expectSamePublicRows(db, await publicRows(quiet));
    });
  };
  eachPostgres("are so", onServer, isLongRun ? sharedServers : []);
});

async function readBothNights(node: SimNode, db: string, concurrency: number): Promise<Record<string, unknown>[]> {
  const targets = scene.targetsFile(place.file("targets.csv"));
  const pace = asWords`--rate 0 --concurrency ${concurrency} --page-size 2`;
  const summaries: Record<string, unknown>[] = [];
  for (const version of [scene.first, scene.second]) {
    const argv = asWords`sync --rpc ${node.url} --db ${db} --targets ${targets} --ledger-version ${version} --json ${pace}`;
    summaries.push((await ended(runCli(argv, { clock: new ManualClock({ skipSleeps: true }) }))).json());
  }
  return summaries;
}

/** Reads both nights from a node of whose answers a fifth is faulty; they are sealed without a gap. */
async function readFaultyNights(db: string, seed: number): Promise<void> {
  const plan = faults.mixedFaults({ seed, holdMs: 4, longWaits: true });
  await using node = await startSimNode({ ledger: scene.ledger, faults: plan });
  const summaries = await readBothNights(node, db, [1, 4, 16][seed % 3] as number);
  const good = { status: "sealed", gaps: 0, accounts: scene.addresses.length };
  expect(summaries).toMatchObject([good, good]);
  expect(summaries.reduce((sum, { retries }) => sum + (retries as number), 0)).toBeGreaterThan(20);
}
