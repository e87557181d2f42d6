import { beforeEach, describe, expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { ended, ManualClock, runCli, type TwoNights, temporaryDirectory, twoNights } from "../../support/index.ts";

let scene: TwoNights;
let place: ReturnType<typeof temporaryDirectory>;
let clock: ManualClock;
let db: string;

beforeEach(() => {
  scene = twoNights(6);
  place = temporaryDirectory();
  // The ledger's own time, so that the two clocks agree.
  clock = new ManualClock({ skipSleeps: true, startMs: Number(scene.ledger.info().timestampUsec / 1000n) });
  db = place.file("night.db");
});

const run = (...argv: string[]) => runCli([...argv, "--db", db], { clock });
const sync = (url: string, ...more: string[]) =>
  run("sync", "--rpc", url, "--rate", "0", "--targets", scene.targetsFile(place.file("targets.csv")), ...more);

describe("status", () => {
  test("of a first crawl that is not finished: views are empty until it is sealed, and a query says so too", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node.url, "--max-requests", "8");
    const told = /the first (?:snapshot )?is not finished, and until it is sealed the views are empty; `movedex sync` continues it/;
    expect((await run("status")).stdout.replace(/\s+/g, " ")).toMatch(told);
    const count = ["query", "SELECT count(*) AS n FROM accounts_latest", "--json", "--db", db];
    const early = await ended(runCli(count));
    expect(JSON.parse(early.stdout)).toEqual([{ n: 0 }]);
    expect(early.stderr).toBe(
      "movedex: the first snapshot is not finished; the views stay empty until it is sealed. `movedex sync` continues it.\n",
    );
    await sync(node.url);
    expect((await run("status")).stdout).not.toMatch("views are empty");
    expect((await runCli(count)).stderr).toBe("");
  });

  test.each([
    [
      "by the hour what has to be read at once",
      150n,
      /^unfinished +ledger version 5300000150: .*the node prunes its version in about 2 s/m,
    ],
    ["unfinished a version at the tip", 59_990_000n, /^unfinished +ledger version 5359990000: 0 of 3 accounts read, begun /m],
  ])("names %s", async (_, above, line) => {
    // The node's horizon rises 100 versions a second.
    const [now, oldest, window] = [clock.now(), 5_300_000_000n, 60_000_000n];
    await using store = await openStore(db, { mode: "write", now: clock.now });
    for (const hours of [24, 12, 0]) {
      const [headVersion, oldestVersion] = [oldest + window, oldest].map((version) => version - BigInt(hours * 360_000)) as [
        bigint,
        bigint,
      ];
      const sample = { node: "http://node/v1", sampledAt: now - hours * 3_600_000, headVersion, oldestVersion, timestampUsec: headVersion };
      await runQueries(store.engine).addHeadSample(sample);
    }
    const facts = { chainId: 4, headVersion: oldest + window, oldestVersion: oldest, headTimestampUsec: 1n, now };
    await snapshotQueries(store.engine).createSnapshot({ ledgerVersion: oldest + above, ...facts }, ["0x1", "0x2", "0x3"] as Address[]);
    expect((await run("status")).stdout.replaceAll(/\n {12}/g, " ")).toMatch(line);
  });
});

test("readings are as old as the newest version that a failed night heard of, also by a clock that is slow", async () => {
  scene = twoNights(6, 1, { usecPerVersion: 86_400_000n });
  clock = new ManualClock({ skipSleeps: true, startMs: Number(scene.ledger.info().timestampUsec / 1000n) });
  await run("targets", "import", scene.targetsFile(place.file("targets.csv")));
  await using node = await startSimNode({ ledger: scene.ledger });
  await ended(run("sync", "--rpc", node.url, "--rate", "0"));
  scene.ledger.advance(3000n);
  const fault = {
    fault: faults.unknownError(404, "gone"),
    match: ({ target }: { readonly target: string }) => target.includes("/accounts/"),
  };
  await using failing = await startSimNode({ ledger: scene.ledger, faults: faults.planFaults([fault]) });
  await ended(run("sync", "--rpc", failing.url, "--rate", "0"), 1);
  expect((await run("status")).stdout).toMatch(/^readings +oldest reading 3 d,/m);
});

test("doctor of a proxy: that it is used, that it is set and not used, and nothing where there is none", async () => {
  await using node = await startSimNode({ ledger: scene.ledger });
  const words = async (env: Record<string, string>) => (await runCli(["doctor", "--rpc", node.url, "--db", db], { clock, env })).stdout;
  // The node itself as proxy: it is asked for a whole address, which it does not know.
  const proxy = new URL(node.url).origin;
  expect(await words({ http_proxy: `${proxy.replace("//", "//user:secret@")}/` })).toMatch(
    new RegExp(`^ok +node +requests go through the proxy ${proxy}$`, "m"),
  );
  expect(await words({ HTTP_PROXY: proxy, NO_PROXY: "127.0.0.1" })).toMatch(
    /^ok +node +HTTP_PROXY or HTTPS_PROXY is set, and this node is asked without a proxy$/m,
  );
  expect(await words({})).not.toContain("proxy");
  expect(await words({ HTTP_PROXY: `${proxy}/?key=secret` })).not.toContain("secret");
});
