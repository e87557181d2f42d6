import { describe, expect, test } from "vitest";
import { faults, manyAccounts, startSimNode } from "../../../sim/index.ts";
import { generatedPackage } from "../../../sim/ledger/generated-package.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { listsOf } from "../../support/store/ask-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const ACCOUNTS = 10;
const SNAPSHOTS = 10;
const PER_SECOND = 100;
const WINDOW = 1_000_000n;
const START_MS = 1_767_225_600_000;

/** Reading one snapshot takes 20 requests, as a rule 4 seconds apart. */
const SECONDS_APART = 4;

/**
 * A node with a full window whose head, and so its horizon, moves on with the clock, and an archive that has listened to it
 * for an hour. Every account changes before each wanted version, so that nothing can be inferred.
 *
 * `load`: the time to read all wanted versions over the time in which all die; they die evenly, the first after as much as
 * one reading takes, divided by the load. The snapshot that listening left is `newer` or older than all that is wanted; with
 * `none` there was no listening, and nothing tells how fast the horizon moves.
 */
async function scene(load: number, listening: "newer" | "older" | "none", secondsApart = SECONDS_APART) {
  const step = BigInt(Math.round(((2 * ACCOUNTS * secondsApart) / load) * PER_SECOND));
  const many = manyAccounts(ACCOUNTS + 1, { packages: 2, modulesPerPackage: 1, ledger: { window: WINDOW } });
  const { ledger } = many;
  const [listened, ...addresses] = [...many.addresses()];
  const clock = new ManualClock({ skipSleeps: true, startMs: START_MS });
  const hour = 3_600n * BigInt(PER_SECOND);
  // After the hour of listening, the horizon is to stand one step below the first wanted version.
  const first = 10_000n + hour + step;
  const wanted = Array.from({ length: SNAPSHOTS }, (_, index) => first + step * BigInt(index));
  for (const [index, version] of wanted.entries()) {
    ledger.advanceTo(version - 2n);
    ledger.transact((writer) => {
      for (const [number, address] of addresses.entries()) {
        const [code] = generatedPackage(1, 1_000 + ACCOUNTS * index + number);
        if (code !== undefined) writer.publish(address, code.name, code.code.publishedAt(address, code.account));
      }
    });
  }
  ledger.advanceTo(10_000n + WINDOW);
  const headNow = (): bigint => 10_000n + WINDOW + BigInt(Math.floor(((clock.now() - START_MS) / 1000) * PER_SECOND));
  const time = faults.meanwhile("time passes", () => ledger.advanceTo(headNow()));
  const node = await startSimNode({ ledger, faults: faults.planFaults([{ fault: time }]) });
  const place = temporaryDirectory();
  const db = place.file("archive.db");
  const common = ["--rpc", node.url, "--db", db, "--rate", `${1 / secondsApart}`, "--concurrency", "1", "--json"];
  const at = listening !== "older" ? [] : ["--ledger-version", `${10_000n + hour - 1_000n}`];
  const listen = () => runCli(["sync", ...common, ...at, "--account", `${listened}`], { clock });
  if (listening !== "none") {
    await listen();
    await clock.advance(1_800_000);
    await listen();
  }
  await clock.advance(START_MS + 3_600_000 - clock.now());
  return {
    wanted,
    backfill: (from: bigint, to: bigint, count: number) =>
      runCli(
        [
          "backfill",
          ...common,
          ...addresses.flatMap((address) => ["--account", address]),
          ...["--from", `${from}`, "--to", `${to}`, "--count", `${count}`],
        ],
        { clock },
      ),
    pins: () => {
      const rows = listsOf(db, "SELECT ledger_version, status FROM _all_snapshots") as [number, string][];
      return rows.filter(([version]) => wanted.includes(BigInt(version)));
    },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

/** How many whole snapshots there are when versions are asked for one by one in an order. */
async function oneByOne(load: number, listening: "newer" | "older", arrange: (versions: readonly bigint[]) => bigint[]) {
  await using place = await scene(load, listening);
  for (const version of arrange(place.wanted)) await place.backfill(version, version, 1);
  return place.pins().filter(([, status]) => status === "sealed").length;
}

describe("backfill from a node of which nothing is known yet", () => {
  test.each([0.8, 1.5])("learns how fast the horizon moves before it leaves the oldest end: load %s", async (load) => {
    await using place = await scene(load, "none", 1);
    const { code, stderr } = await place.backfill(place.wanted[0] as bigint, place.wanted.at(-1) as bigint, SNAPSHOTS);
    expect(code, stderr).toBe(load > 1 ? 3 : 0);
    const whole = place.pins().filter(([, status]) => status === "sealed").length;
    expect(whole).toBeGreaterThanOrEqual(load > 1 ? 3 : SNAPSHOTS);
    // Of the ten, five die within the first minute, in which nothing tells that they will: no other is begun in vain.
    expect(place.pins().length - whole).toBeLessThanOrEqual(load > 1 ? 5 : 0);
  });
});

describe("backfill from a node whose horizon moves, when not everything can be saved", () => {
  test.each([
    [1.3, "newer"],
    [2, "newer"],
    [3, "newer"],
    // With nothing newer to infer from, both ends are wanted first: but not at the price of another snapshot.
    [1.3, "older"],
    [2, "older"],
  ] as const)(
    "saves at least as many whole snapshots as any other order, and leaves none half read: load %s, a snapshot %s than all",
    async (load, listening) => {
      await using place = await scene(load, listening);
      await ended(place.backfill(place.wanted[0] as bigint, place.wanted.at(-1) as bigint, SNAPSHOTS), 3);
      const pins = place.pins();
      expect(pins.filter(([, status]) => status !== "sealed")).toEqual([]);
      expect(pins.length).toBeGreaterThanOrEqual(Math.floor(SNAPSHOTS / load) - 1);
      expect(pins.length).toBeLessThan(SNAPSHOTS);

      const random = seededRandom(7);
      const others = [
        await oneByOne(load, listening, (versions) => [...versions]),
        await oneByOne(load, listening, (versions) => versions.toReversed()),
        await oneByOne(load, listening, (versions) => [...versions].sort(() => random() - 0.5)),
      ];
      for (const other of others) expect(pins.length).toBeGreaterThanOrEqual(other);
      expect(others.some((other) => other < pins.length)).toBe(true);
    },
  );
});
