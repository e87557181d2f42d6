import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect } from "vitest";
import { manyAccounts, type SimNode, startSimNode } from "../../../sim/index.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { ended } from "../../support/command/ended.ts";
import { startMovedex, wasKilled } from "../../support/command/movedex-process.ts";
import { databaseContent } from "../../support/database-content.ts";
import { runCli } from "../../support/run-cli.ts";
import { test } from "../../support/test.ts";

/** Accounts that upgrade at several versions between 10,000 and 14,000; one rotates its key. */
function scene() {
  const many = manyAccounts(10, { packages: 4 });
  many.ledger.advanceTo(10_700n);
  many.upgradeEvery(5);
  many.ledger.advanceTo(12_345n);
  many.upgradeEvery(3);
  many.ledger.transact((writer) => writer.account(many.address(2), { authenticationKey: new Uint8Array(32).fill(9) }));
  many.ledger.advanceTo(15_000n);
  return { ledger: many.ledger, accounts: [...many.addresses()].flatMap((address) => ["--account", address]) };
}

/** Kills a run once it has sent so many requests, or soon after its start; false when it ended first. */
async function killed(child: ChildProcess, node: SimNode, requests: number, random: () => number): Promise<boolean> {
  const before = node.requestCount;
  while (node.requestCount - before < requests && child.exitCode === null) await delay(1);
  await delay(random() * 4);
  child.kill("SIGKILL");
  return wasKilled(child);
}

describe("kill -9", () => {
  test("anywhere in backfill and in trace, and run again: the same database", async ({ place }) => {
    const { ledger, accounts } = scene();
    await using node = await startSimNode({ ledger });
    const env = { ...process.env, NODE_COMPILE_CACHE: place.file("compiled") };
    const source = (db: string): string[] => ["--rpc", node.url, "--db", db, "--rate", "0", "--json", "--concurrency", "3"];
    const commands = [
      (db: string) => ["backfill", ...source(db), ...accounts, "--every", "1000", "--from", "10000", "--to", "14000"],
      (db: string) => ["trace", ...source(db)],
    ];

    const quiet = place.file("quiet.db");
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
      for (const [index, command] of commands.entries()) {
        for (let n = 0; n < 2; n++) {
          const child = startMovedex(command(db), { env });
          if (await killed(child, node, Math.floor(random() * 0.6 * (requests[index] as number)), random)) kills += 1;
        }
        await ended(runCli(command(db)));
        expect(databaseContent(db), `night ${night}`).toEqual(expected[index]);
      }
    }
    expect(kills).toBeGreaterThan(5);
  });

  test("anywhere in verify, and run again: the same words, the same database", async ({ place }) => {
    const { ledger, accounts } = scene();
    await using node = await startSimNode({ ledger });
    const env = { ...process.env, NODE_COMPILE_CACHE: place.file("compiled") };
    const db = place.file("archive.db");
    const source = ["--rpc", node.url, "--db", db, "--rate", "0"];
    await runCli(["backfill", ...source, ...accounts, "--every", "1000", "--from", "10000", "--to", "14000"]);
    const content = databaseContent(db);
    const verify = ["verify", "--against", node.url, "--db", db, "--rate", "0", "--sample", "40", "--json"];
    const words = async (): Promise<unknown> => {
      const { json } = await ended(runCli(verify));
      return json()["checked"];
    };
    const before = node.requestCount;
    const expected = await words();
    const requests = node.requestCount - before;
    expect(requests).toBeGreaterThan(20);

    const random = seededRandom(11);
    let kills = 0;
    for (let n = 0; n < 8; n++) {
      const child = startMovedex(verify, { env });
      if (await killed(child, node, Math.floor((requests * n) / 9), random)) kills += 1;
    }
    expect(kills).toBeGreaterThan(2);
    expect(databaseContent(db)).toEqual(content);
    expect(await words()).toEqual(expected);
  });
});
