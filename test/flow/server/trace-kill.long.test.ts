import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { manyAccounts, startSimNode } from "../../../sim/index.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { asWords } from "../../support/command/as-words.ts";
import { ended } from "../../support/command/ended.ts";
import { startMovedex } from "../../support/command/movedex-process.ts";
import { runCli } from "../../support/run-cli.ts";
import { test } from "../../support/test.ts";
import { countIn, expectSamePublicRows, publicRows } from "./public-rows.ts";

const LEASE_MS = 1_500;
const CONCURRENCY = 3;
/** Requests a second of each: so few that the trace is not over before the last trouble. */
const RATE = 10;

eachPostgres("a trace whose processes die and stand still", (open, version) => {
  // One server is enough for what is long; the short tests ask all of them.
  test.skipIf(version !== 18)("loses nothing, and asks again no more than was on its way", { timeout: 300_000 }, async ({ place }) => {
    const many = manyAccounts(24, { packages: 4 });
    many.ledger.advanceTo(10_700n);
    many.upgradeEvery(3);
    many.ledger.advanceTo(13_000n);
    many.upgradeEvery(2);
    many.ledger.advanceTo(16_000n);
    const scope = [...many.addresses()].flatMap((address) => ["--account", address]);
    const source = (url: string, db: string, rate = 0) => asWords`
      --rpc ${url} --db ${db} --rate ${rate} --concurrency ${CONCURRENCY} --json
    `;
    await using quiet = await startSimNode({ ledger: many.ledger });
    const database = (await open()).url();
    for (const db of [place.file("quiet.db"), database]) {
      for (const at of ["10000", "15000"]) {
        await ended(runCli(["sync", ...source(quiet.url, db), ...scope, "--ledger-version", at]));
      }
    }
    await ended(runCli(["trace", ...source(quiet.url, place.file("quiet.db"))]));
    const expected = await publicRows(place.file("quiet.db"));

    await using node = await startSimNode({ ledger: many.ledger });
    const probes = () =>
      node.requests
        .filter(({ path, query }) => path.includes("/accounts/") && !/ledger_version=1[05]000$/.test(query))
        .map(({ path, query }) => `${path}?${query}`);
    const env = { ...process.env, NODE_COMPILE_CACHE: place.file("compiled") };
    const said = new Map<ChildProcess, string>();
    const begin = (command: string): ChildProcess => {
      const child = startMovedex([command, ...source(node.url, database, RATE), "--lease", `${LEASE_MS / 1000}s`], {
        stdio: ["ignore", "pipe", "pipe"],
        env,
      });
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => said.set(child, `${said.get(child) ?? ""}${text}`));
      return child;
    };
    const count = (from: string) => countIn(database, from);

    const opener = begin("trace");
    await expect.poll(() => count("_traces"), { timeout: 30_000 }).toBe(1);
    const workers = [begin("trace"), begin("trace")];
    const closings = workers.map((worker) => once(worker, "close"));
    await expect.poll(() => count("(SELECT DISTINCT owner FROM _leases WHERE name LIKE 'trace:%:group:%') o"), { timeout: 30_000 }).toBe(3);
    opener.kill("SIGKILL");
    await once(opener, "close");
    const [late] = workers as [ChildProcess, ChildProcess];
    late.kill("SIGSTOP");
    await delay(LEASE_MS * 2);
    late.kill("SIGCONT");
    await expect.poll(() => count("_traces"), { timeout: 120_000, interval: 500 }).toBe(0);
    for (const [i, [code]] of (await Promise.all(closings)).entries()) expect(code, said.get(workers[i] as ChildProcess)).toBe(0);
    const asked = probes();
    // What the two had sent and not stored.
    expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(2 * CONCURRENCY);
    expect(await count("_trace_groups")).toBe(0);
    await expectSamePublicRows(database, expected);
  });
});
