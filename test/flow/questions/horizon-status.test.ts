import { describe, expect } from "vitest";
import { snapshotQueries } from "../../../src/archive/snapshots/snapshot-queries.ts";
import { parseAddress } from "../../../src/move/address.ts";
import { backfillQueries } from "../../../src/work/runs/backfill.ts";
import { runQueries } from "../../../src/work/runs/runs.ts";
import { openStore } from "../../../src/work/store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { test } from "../../support/test.ts";

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const accounts = ["0x1", "0x2", "0x3"].map((text) => parseAddress(text) as NonNullable<ReturnType<typeof parseAddress>>);

/** A database whose node's horizon rises 100 versions a second, with an unfinished snapshot so many versions above it. */
async function databaseWith(path: string, above: bigint): Promise<void> {
  const store = await openStore(path, { mode: "write", now: () => NOON });
  const oldest = 5_300_000_000n;
  for (const hours of [24, 12, 0]) {
    const behind = BigInt(hours * 360_000);
    const [headVersion, oldestVersion] = [oldest + 60_000_000n - behind, oldest - behind];
    await runQueries(store.engine).addHeadSample({
      node: "http://node/v1",
      sampledAt: NOON - hours * HOUR,
      headVersion,
      oldestVersion,
      timestampUsec: headVersion * 10_000n,
    });
  }
  const facts = { chainId: 4, headVersion: oldest + 60_000_000n, oldestVersion: oldest, headTimestampUsec: 1n, now: NOON };
  await snapshotQueries(store.engine).createSnapshot({ ledgerVersion: oldest + above, ...facts }, accounts);
  await backfillQueries(store.engine).askPoints([{ version: oldest + 720_000n, wantedTime: null, timeErrorMs: null }], NOON);
  await store.close();
}

function status(db: string, ...args: string[]) {
  return statusAt(NOON, db, ...args);
}

function statusAt(startMs: number, db: string, ...args: string[]) {
  return runCli(["status", "--db", db, ...args], { clock: new ManualClock({ startMs }) });
}

describe("status", () => {
  test("says in words what becomes unreadable when", async ({ place }) => {
    const db = place.file("night.db");
    await databaseWith(db, 1_800_000n);
    const { stdout } = await status(db);
    expect(stdout).toContain("unfinished  ledger version 5301800000: 0 of 3 accounts read");
    expect(stdout).toContain("the node prunes its version in about 5 h (at worst in 3 h 20 min), the next `sync` continues it");
    expect(stdout).toContain("it rises 100.0 versions/s; versions below 5,308,640,000 are gone by 2026-11-22T12:00:00Z");
    expect(stdout).toContain(
      "1 older version asked for and not read; the oldest, 5300720000, is pruned in about 2 h (at worst in 1 h 20 min); `movedex backfill` continues",
    );
  });

  test("calls urgent what has to be read at once, and never a pin at the tip", async ({ place }) => {
    const [dying, healthy] = [place.file("dying.db"), place.file("healthy.db")];
    await databaseWith(dying, 150n);
    await databaseWith(healthy, 59_990_000n);
    expect((await status(dying)).stdout).toMatch(/^URGENT +ledger version 5300000150: .*the node prunes its version in about 2 s/m);
    expect((await status(healthy)).stdout).not.toContain("URGENT");
    expect((await status(dying, "--json")).json()).toMatchObject({ unfinished: [{ urgent: true }], backfill_wanted: ["5300720000"] });
    expect((await status(healthy, "--json")).json()).toMatchObject({ unfinished: [{ urgent: false }] });
  });

  test("tells after weeks without a run what is known and how old that is, and believes no sample of a clock that was ahead", async ({
    place,
  }) => {
    const db = place.file("night.db");
    await databaseWith(db, 1_800_000n);
    const later = await statusAt(NOON + 31 * 24 * HOUR, db);
    expect(later.stdout).toMatch(/http:\/\/node\/v1: versions 5300000000 to 5360000000 readable 31 d ago; it\s+rises 100.0 versions\/s;/);
    const store = await openStore(db, { mode: "write", now: () => NOON });
    const told = { headVersion: 5_100_000_000n, oldestVersion: 5_000_000_000n, timestampUsec: 1n };
    await runQueries(store.engine).addHeadSample({ node: "http://node/v1", sampledAt: NOON + 2400 * HOUR, ...told });
    await store.close();
    expect((await status(db)).stdout).toContain("versions 5300000000 to 5360000000 readable 0 ms ago");
  });
});
