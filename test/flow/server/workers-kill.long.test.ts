import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { manyAccounts, startSimNode } from "../../../sim/index.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { ended } from "../../support/command/ended.ts";
import { startMovedex } from "../../support/command/movedex-process.ts";
import { runCli } from "../../support/run-cli.ts";
import { test } from "../../support/test.ts";
import { expectSamePublicRows, publicRows } from "./public-rows.ts";

const ACCOUNTS = Number(process.env["MOVEDEX_TEST_ACCOUNTS"] ?? 2_600);
const WORKERS = 4;
/** Half of them kill -9, half stand still for longer than a lease. */
const TROUBLES = 20;
const LEASE_MS = 1_500;
/** Requests a second of each: so few that the night lasts until the last trouble, which comes after 30 s. */
const RATE = 40;

eachPostgres("four workers", (open, version) => {
  // One server is enough for what is long; the short tests ask all of them.
  test.skipIf(version !== 18)(
    `killed and stopped ${TROUBLES} times leave the rows of one quiet worker on a file`,
    async ({ place }) => {
      const random = seededRandom(20261122);
      const many = manyAccounts(ACCOUNTS);
      const targets = place.file("targets.csv");
      writeFileSync(targets, `address\n${[...many.addresses()].join("\n")}\n`);
      const argv = (url: string, db: string) => ["sync", "--rpc", url, "--db", db, "--targets", targets, "--concurrency", "4", "--json"];
      await using quiet = await startSimNode({ ledger: many.ledger, log: false });
      const file = place.file("quiet.db");
      await ended(runCli([...argv(quiet.url, file), "--rate", "0"]));

      const at = await open();
      const database = at.url();
      const nodes = await Promise.all(Array.from({ length: WORKERS }, () => startSimNode({ ledger: many.ledger, log: false })));
      const env = { ...process.env, NODE_COMPILE_CACHE: place.file("compiled") };
      const ends: { readonly code: number | null; readonly said: string }[] = [];
      const begin = (i: number): ChildProcess => {
        const url = nodes[i]?.url ?? "";
        const words = [...argv(url, database), "--rate", `${RATE}`, "--lease", `${LEASE_MS / 1000}s`];
        const child = startMovedex(words, { stdio: ["ignore", "pipe", "pipe"], env });
        let said = "";
        for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes) => (said = `${said}${bytes}`.slice(-4_000)));
        child.once("close", (code, signal) => {
          if (signal === null) ends.push({ code, said });
        });
        return child;
      };
      const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;
      const workers = nodes.map((_, i) => begin(i));
      let troubles = 0;
      for (; troubles < TROUBLES && ends.length === 0; troubles++) {
        await delay(150 + random() * 400);
        const i = Math.floor(random() * WORKERS);
        const worker = workers[i] as ChildProcess;
        if (isOver(worker)) continue;
        if (troubles % 2 === 0) {
          worker.kill("SIGKILL");
          await once(worker, "exit");
          workers[i] = begin(i);
        } else {
          worker.kill("SIGSTOP");
          await delay(LEASE_MS * 1.5);
          worker.kill("SIGCONT");
        }
      }
      expect(troubles).toBe(TROUBLES);
      await Promise.all(workers.map(async (worker) => isOver(worker) || (await once(worker, "close"))));
      // One that stood still during its turn waits for the next; one that is begun after the seal has nothing to do.
      expect(ends.filter(({ code }) => code !== 0)).toEqual([]);
      // What a server does by itself within minutes: without it the views are planned for tables that it believes to be empty.
      await at.prepare("ANALYZE");
      await expectSamePublicRows(database, await publicRows(file));
      for (const node of nodes) await node[Symbol.asyncDispose]();
    },
    3_600_000,
  );
});
