import type { ChildProcess } from "node:child_process";
import { copyFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect } from "vitest";
import { manyAccounts, type SimNode, startSimNode } from "../../../sim/index.ts";
import { seededRandom } from "../../../src/core/base/numbers.ts";
import { databaseContent, ended, runCli, startMovedex, temporaryDirectory, test, twoNights, wasKilled } from "../../support/index.ts";

/** How often runs are killed, and how often in a row at most before one may end. */
const KILLS = 30;
const IN_A_ROW = 10;
const PACE = ["--page-size", "1", "--concurrency", "3", "--rate", "0"];

describe("kill -9", async () => {
  const commandLine = (node: SimNode, db: string, targets: string, version: bigint): string[] => {
    const what = ["sync", "--rpc", node.url, "--db", db, "--targets", targets, "--ledger-version", `${version}`, "--json"];
    return [...what, ...PACE];
  };

  const scene = twoNights(20, 7);
  await using node = await startSimNode({ ledger: scene.ledger });
  using place = temporaryDirectory();
  const [db, targets] = [place.file("quiet.db"), scene.targetsFile(place.file("targets.csv"))];
  const first = await runCli(commandLine(node, db, targets, scene.first));
  const afterFirst = databaseContent(db);
  const second = await runCli(commandLine(node, db, targets, scene.second));
  expect([first.code, second.code]).toEqual([0, 0]);
  const quiet = { first: afterFirst, second: databaseContent(db), requests: first.json()["requests"] as number };

  test(`at ${KILLS} random moments, several in a row, and run again: the database is that of quiet nights`, async ({ place }) => {
    const random = seededRandom(20260101);
    await using node = await startSimNode({ ledger: scene.ledger });
    const targets = scene.targetsFile(place.file("targets.csv"));
    let kills = 0;
    for (let night = 1; kills < KILLS; night++) {
      const db = place.file(`${night}.db`);
      for (const [version, expected] of [
        [scene.first, quiet.first],
        [scene.second, quiet.second],
      ] as const) {
        const argv = commandLine(node, db, targets, version);
        const times = Math.min(KILLS - kills, Math.ceil(random() * IN_A_ROW));
        const begun = node.requestCount;
        for (let n = 0; n < times; n++) {
          const left = quiet.requests - (node.requestCount - begun);
          if (await killed(startMovedex(argv), node, random, left)) kills += 1;
        }
        const { json } = await ended(runCli(argv));
        // Where the last kill came after the seal, the snapshot is held, and nothing is counted again.
        const { ledger_version, status, gaps } = json();
        expect([`${version} sealed 0`, `${version} held undefined`]).toContain(`${ledger_version} ${status} ${gaps}`);
        expect(databaseContent(db), `night ${night} at ${version}`).toEqual(expected);
      }
    }
  });

  test("anywhere in backfill and in trace, and run again: the same database", async ({ place }) => {
    const { ledger, accounts } = changingLedger();
    await using node = await startSimNode({ ledger });
    // With a night before, each backfill knows how fast versions come, and need not wait to see it.
    const before = place.file("before.db");
    await ended(runCli(["sync", "--rpc", node.url, "--db", before, "--rate", "0", ...accounts]));
    ledger.advanceTo(20_000n);
    const source = (db: string): string[] => ["--rpc", node.url, "--db", db, "--rate", "0", "--json", "--concurrency", "3"];
    const commands = [
      (db: string) => ["backfill", ...source(db), ...accounts, "--every", "1000", "--from", "10000", "--to", "14000"],
      (db: string) => ["trace", ...source(db)],
    ];

    const quiet = place.file("quiet.db");
    copyFileSync(before, quiet);
    const requests: number[] = [];
    const expected = [];
    for (const command of commands) {
      const { json } = await ended(runCli(command(quiet)));
      requests.push(json()["requests"] as number);
      expected.push(databaseContent(quiet));
    }

    const random = seededRandom(7);
    let kills = 0;
    for (let night = 0; night < 2; night++) {
      const db = place.file(`${night}.db`);
      copyFileSync(before, db);
      for (const [index, command] of commands.entries()) {
        for (let n = 0; n < 2; n++) {
          if (await killed(startMovedex(command(db)), node, random, 0.6 * (requests[index] as number))) kills += 1;
        }
        await ended(runCli(command(db)));
        expect(databaseContent(db), `night ${night}`).toEqual(expected[index]);
      }
    }
    expect(kills).toBeGreaterThan(5);
  });
});

/** Accounts that upgrade at several versions between 10,000 and 14,000; one rotates its key. */
function changingLedger() {
  const many = manyAccounts(10, { packages: 4 });
  many.ledger.advanceTo(10_700n);
  many.upgradeEvery(5);
  many.ledger.advanceTo(12_345n);
  many.upgradeEvery(3);
  many.ledger.transact((writer) => writer.account(many.address(2), { authenticationKey: new Uint8Array(32).fill(9) }));
  many.ledger.advanceTo(15_000n);
  return { ledger: many.ledger, accounts: [...many.addresses()].flatMap((address) => ["--account", address]) };
}

/**
 * Kills a run at a random moment: mostly between two of the requests that are left, sometimes while it opens the database,
 * sometimes after the last answer, when the snapshot is sealed. False when it had ended by then.
 */
async function killed(child: ChildProcess, node: SimNode, random: () => number, requestsLeft: number): Promise<boolean> {
  const before = node.requestCount;
  const seen = () => node.requestCount - before;
  const isOver = () => child.exitCode !== null;
  const kind = random();
  if (kind < 0.1) await delay(random() * 500);
  else if (kind < 0.8 && requestsLeft > 5) {
    const enough = 1 + Math.floor(random() * requestsLeft);
    while (seen() < enough && !isOver()) await delay(1);
    await delay(random() * 3);
  } else {
    for (let last = 0; (seen() === 0 || seen() > last) && !isOver(); await delay(8)) last = seen();
    await delay(random() * 40);
  }
  child.kill("SIGKILL");
  return wasKilled(child);
}
