import { beforeEach, expect, test } from "vitest";
import { faults, type SimNode, startSimNode } from "../../../sim/index.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun } from "../../run-size.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { twoNights } from "../../support/two-nights.ts";

const COUNT = 80;
const RATE = 40;
const WORKERS = 3;
/** A bucket of each, which holds 50 ms of the rate. */
const BURST = WORKERS * (RATE / 20);
/** What a machine that is busy may put off from one second to the next. */
const PUT_OFF = RATE / 2;
const PAUSE_MS = 4_000;

eachPostgres("workers that share a rate", (open, version) => {
  let place: ReturnType<typeof temporaryDirectory>;
  let database: string;
  beforeEach(async () => {
    place = temporaryDirectory();
    database = (await open()).url();
  });

  const sync = (node: SimNode, targets: string, db = database) => {
    const argv = ["sync", "--rpc", node.url, "--db", db, "--shared-rate", `${RATE}`, "--concurrency", "4", "--targets", targets, "--json"];
    return runCli(argv);
  };

  /** The most requests that came within any second. */
  const mostInASecond = (node: SimNode) => {
    const times = node.requests.map(({ at }) => at);
    let most = 0;
    for (let first = 0, last = 0; last < times.length; last++) {
      while ((times[last] as number) - (times[first] as number) >= 1_000) first += 1;
      most = Math.max(most, last - first + 1);
    }
    return most;
  };

  test.runIf(isLongRun && version === 18)("send no more than it together in any second, and all wait when one hears a 429", async () => {
    const scene = twoNights(COUNT);
    const targets = scene.targetsFile(place.file("targets.csv"));
    let toldAtMs: number | undefined;
    const once = faults.planFaults([
      {
        fault: {
          ...faults.tooManyRequests(`${PAUSE_MS / 1000}`),
          before: () => {
            toldAtMs = Date.now();
          },
        },
        times: 1,
        match: ({ target }) => toldAtMs === undefined && node.requestCount > COUNT && target.includes("/accounts/"),
      },
    ]);
    await using node: SimNode = await startSimNode({ ledger: scene.ledger, faults: once });
    const results = await Promise.all(Array.from({ length: WORKERS }, () => sync(node, targets)));
    for (const { code, stderr } of results) expect(code, stderr).toBe(0);
    expect(mostInASecond(node)).toBeLessThanOrEqual(RATE + BURST + PUT_OFF);
    expect(perSecond(node)).toBeLessThanOrEqual(RATE + 1);
    const told = toldAtMs as unknown as number;
    expect(told).toBeDefined();
    // Whoever did not hear it itself knows within about a second; one that knew nothing would go on at a third of the rate.
    const within = (from: number, to: number) => node.requests.filter(({ at }) => at >= told + from && at < told + to).length;
    expect(within(0, PAUSE_MS - 50)).toBeLessThan(RATE * 1.5);
    expect(within(PAUSE_MS - 1_050, PAUSE_MS - 50)).toBe(0);
    // Half of the rate from then on, and a little more as time goes on.
    expect(within(PAUSE_MS, PAUSE_MS + 3_000)).toBeLessThanOrEqual(3 * (RATE / 2 + 2) + BURST);
    expect(node.requests.some(({ at }) => at >= told + PAUSE_MS)).toBe(true);
  });

  /** Requests a second from the first to the last. */
  const perSecond = (node: SimNode) => {
    const times = node.requests.map(({ at }) => at);
    return ((times.length - 1 - BURST) * 1_000) / ((times.at(-1) as number) - (times[0] as number));
  };

  test.skipIf(version !== 18)("on a file it is the rate of the run", async () => {
    const scene = twoNights(10);
    await using node = await startSimNode({ ledger: scene.ledger });
    await ended(sync(node, scene.targetsFile(place.file("targets.csv")), place.file("alone.db")));
    expect(perSecond(node)).toBeLessThanOrEqual(RATE + 1);
  });
});
