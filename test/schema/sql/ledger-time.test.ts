import fc from "fast-check";
import { expect, test } from "vitest";
import { pointQueries } from "../../../src/capabilities/backfill/point-queries.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import type { Engine, Integer } from "../../../src/core/db/engine/engine.ts";
import { jsonEach } from "../../../src/core/db/schema/sql/functions.ts";
import { ledgerTimes } from "../../../src/core/db/schema/sql/ledger-time.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { sized } from "../../run-size.ts";
import { NOON } from "../../support/store/temporary-store.ts";

/** A version and its time in microseconds since 1970. */
type Mark = { readonly version: bigint; readonly usec: bigint };
/** What is said of a version: milliseconds. */
type Said = { readonly ms: number; readonly error: number };

const RUNS = sized({ sqlite: 25, postgresql: 3 }, { sqlite: 100, postgresql: 10 });
const START = BigInt(NOON) * 1000n;

const asked = sql`SELECT CAST(e.value AS bigint) AS version FROM ${jsonEach(":versions::json", "e")}`;
const times = sql<[Integer, number | null, Integer | null]>`SELECT v.version, ${ledgerTimes.time(sql`v.version`)},
  ${ledgerTimes.error(sql`v.version`)} FROM (${asked}) v`;
const pairs = sql<[Integer, Integer, Integer | null]>`SELECT o.version, n.version,
  ${ledgerTimes.changeError(sql`o.version`, sql`n.version`)} FROM (${asked}) o JOIN (${asked}) n ON n.version > o.version`;
const clear = [sql`DELETE FROM _visits`, sql`DELETE FROM _all_snapshots`, sql`DELETE FROM _head_samples`, sql`DELETE FROM _ledger_times`];

async function hear(engine: Engine, { version, usec }: Mark): Promise<void> {
  const sample = { node: "http://a", sampledAt: NOON, headVersion: version, oldestVersion: 0n, timestampUsec: usec };
  await runQueries(engine).addHeadSample(sample);
}

async function pinAt(engine: Engine, pin: bigint, { version, usec }: Mark): Promise<void> {
  const facts = { chainId: 4, headVersion: version, oldestVersion: 0n, headTimestampUsec: usec, now: NOON };
  await snapshotQueries(engine).createSnapshot({ ...facts, ledgerVersion: pin }, []);
}

async function estimate(engine: Engine, version: bigint, wantedTime: number, timeErrorMs: number): Promise<void> {
  await pointQueries(engine).askPoints([{ version, wantedTime, timeErrorMs, estimate: { ms: wantedTime, errorMs: timeErrorMs } }], NOON);
}

/** What is said of versions; undefined where nothing is. */
async function saidOf(engine: Engine, versions: readonly bigint[]): Promise<Map<bigint, Said | undefined>> {
  const rows = await engine.all(times, { versions: JSON.stringify(versions.map(String)) });
  return new Map(rows.map(([version, ms, error]) => [BigInt(version), ms === null ? undefined : { ms, error: Number(error) }]));
}

async function saidOfOne(engine: Engine, version: bigint): Promise<Said | undefined> {
  return (await saidOf(engine, [version])).get(version);
}

function isWithin(usec: bigint, { ms, error }: Said): boolean {
  return Math.abs(Number(usec - BigInt(ms) * 1000n)) < (error + 1) * 1000;
}

/** A ledger whose versions and times rise together at any pace, with pauses, and the versions that a node named as its newest. */
const ledger = fc
  .array(
    fc.record({
      versions: fc.bigInt(1n, 5_000_000_000n),
      usec: fc.oneof(fc.constant(0n), fc.bigInt(1n, 5_000n), fc.bigInt(1n, 40_000_000_000_000n)),
      heard: fc.constantFrom("no", "no", "sample", "pin", "both"),
    }),
    { minLength: 2, maxLength: 12 },
  )
  .map((steps) => {
    let [version, usec] = [0n, START];
    return steps.map((step) => {
      version += step.versions;
      usec += step.usec;
      return { version, usec, heard: step.heard };
    });
  });

eachArchive("ledger time", (open, kind) => {
  test("goes on below the oldest head as far as the heads reach", async () => {
    await using at = await open();
    await pinAt(at.engine, 99_960n, { version: 100_000n, usec: START });
    await hear(at.engine, { version: 101_000n, usec: START + 100_000_000n });
    expect(await saidOfOne(at.engine, 99_960n)).toEqual({ ms: NOON - 4000, error: 4001 });
    expect(await saidOfOne(at.engine, 99_000n)).toEqual({ ms: NOON - 100_000, error: 100_001 });
    expect(await saidOfOne(at.engine, 98_999n)).toBeUndefined();
  });

  test("is what backfill estimated where no older head is known, and bounded by heads where one is", async () => {
    await using at = await open();
    const day = 86_400_000;
    await estimate(at.engine, 1000n, NOON - 2 * day, 7000);
    await estimate(at.engine, 2000n, NOON - day, 3000);
    await pinAt(at.engine, 1000n, { version: 3000n, usec: START });
    expect(await saidOfOne(at.engine, 1000n)).toEqual({ ms: NOON - 2 * day, error: 7000 });
    expect(await saidOfOne(at.engine, 1500n)).toEqual({ ms: NOON - 1.5 * day, error: day / 2 + 7001 });
    expect(await saidOfOne(at.engine, 2500n)).toEqual({ ms: NOON - day / 2, error: day / 2 + 3001 });
    await hear(at.engine, { version: 900n, usec: START - BigInt(3 * day) * 1000n });
    expect((await saidOfOne(at.engine, 1000n))?.error).toBeGreaterThan(day);
  });

  test("heeds no answer that was struck out, and no time that is none", async () => {
    await using at = await open();
    await pinAt(at.engine, 10n, { version: 10n, usec: 0n });
    await pinAt(at.engine, 20n, { version: 30n, usec: 2n ** 64n - 1n });
    expect([...(await saidOf(at.engine, [10n, 20n, 30n])).values()]).toEqual([undefined, undefined, undefined]);
    await pinAt(at.engine, 40n, { version: 40n, usec: START });
    await pinAt(at.engine, 50n, { version: 60n, usec: START - 5_000_000n });
    // Two answers that contradict each other bound nothing.
    expect(await saidOfOne(at.engine, 50n)).toBeUndefined();
  });

  test("is never further from the truth than it says, however much is known, in whatever order it came", async () => {
    await using at = await open();
    const run = async (marks: readonly (Mark & { readonly heard: string })[], order: readonly number[]) => {
      for (const statement of clear) await at.engine.run(statement);
      const known: Mark[] = [];
      const versions = marks.map(({ version }) => version);
      const check = async (): Promise<ReadonlyMap<bigint, Said | undefined>> => {
        const said = await saidOf(at.engine, versions);
        const least = known.reduce((lowest, { version }) => (version < lowest ? version : lowest), 2n ** 62n);
        const most = known.reduce((highest, { version }) => (version > highest ? version : highest), -1n);
        for (const { version, usec } of marks) {
          const found = said.get(version);
          if (version > most) expect(found).toBeUndefined();
          if (version < least || version > most) continue;
          expect(found).toBeDefined();
          expect(isWithin(usec, found as Said)).toBe(true);
          if (known.some((mark) => mark.version === version)) expect(found?.error).toBe(0);
        }
        const rows = await at.engine.all(pairs, { versions: JSON.stringify(versions.map(String)) });
        for (const [after, upTo, error] of rows) {
          if (BigInt(after) < least || BigInt(upTo) > most) continue;
          const stretch = { ms: (said.get(BigInt(upTo)) as Said).ms, error: Number(error) };
          for (const { version, usec } of marks)
            if (version > BigInt(after) && version <= BigInt(upTo)) expect(isWithin(usec, stretch)).toBe(true);
        }
        return said;
      };
      const inOrder = order.map((place) => marks[place]).filter((mark) => mark !== undefined);
      for (const mark of inOrder) {
        if (mark.heard === "sample" || mark.heard === "both") await hear(at.engine, mark);
        if (mark.heard === "pin" || mark.heard === "both") await pinAt(at.engine, mark.version, mark);
        if (mark.heard === "no") continue;
        known.push(mark);
        if (known.length % 3 === 0) await check();
      }
      return check();
    };
    const cases = ledger.chain((marks) => {
      const places = marks.map((_, place) => place);
      const shuffled = fc.shuffledSubarray(places, { minLength: places.length });
      return fc.tuple(fc.constant(marks), shuffled, shuffled);
    });
    const law = fc.asyncProperty(cases, async ([marks, one, other]) => {
      expect(await run(marks, one)).toEqual(await run(marks, other));
    });
    await fc.assert(law, { numRuns: RUNS[kind] });
  });
});
