import { expect, test } from "vitest";
import type { Engine } from "../../../src/engine/engine.ts";
import {
  assertHeld,
  assertTurn,
  type Lease,
  leaseHolder,
  releaseLease,
  renewAll,
  renewLease,
  takeLease,
  takeTurn,
} from "../../../src/engine/leases/leases.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { workTables } from "../../../src/schema/tables/work.ts";
import { eachEngine, type TestEngine } from "../support/each-engine.ts";

const NOON = Date.UTC(2026, 0, 31, 12);
const at = (ms: number) => ({ now: () => NOON + ms });
const written = sql`SELECT text FROM notes ORDER BY text`;

/** The columns of the table are those of its data; SQLite takes PostgreSQL's words for their types too. */
async function prepared(open: () => Promise<TestEngine>): Promise<TestEngine> {
  const one = await open();
  const { engine } = one;
  expect(Object.keys(workTables.leases.columns)).toEqual(["name", "owner", "fence", "since", "until"]);
  const time = engine.dialect === "sqlite" ? sql`integer` : sql`timestamptz`;
  await engine.run(
    sql`CREATE TABLE _leases (name text PRIMARY KEY, owner text NOT NULL, fence bigint NOT NULL, since ${time} NOT NULL, until ${time} NOT NULL)`,
  );
  await engine.run(sql`CREATE TABLE notes (text text)`);
  return one;
}

/** Lets a lease run out, by whatever clock it goes. */
async function expire(engine: Engine, lease: Lease): Promise<void> {
  expect(await renewLease(engine, lease, { now: () => 0, ttlMs: -1 })).toBe(true);
}

function note(engine: Engine, text: string, lease: Lease): Promise<void> {
  return engine.transaction(async (tx) => {
    await tx.run(sql`INSERT INTO notes VALUES (:text)`, { text });
    await assertHeld(tx, lease);
  });
}

const take = async ({ engine }: TestEngine, name = "run:1") => (await takeLease(engine, name, at(0))) as Lease;

eachEngine("a lease", (open, kind) => {
  test("is one's alone until it is given back, and the next one has nothing to wait for", async () => {
    await using one = await prepared(open);
    const lease = await take(one);
    expect(lease).toMatchObject({ name: "run:1", fence: 1 });
    expect(await takeLease(one.engine, "run:1", at(0))).toBeUndefined();
    expect(await takeLease(one.engine, "run:2", at(0))).toMatchObject({ fence: 1 });
    const holder = await leaseHolder(one.engine, "run:1");
    expect(holder).toMatchObject({ owner: lease.owner });
    expect((holder?.until ?? 0) - (holder?.since ?? 0)).toBeGreaterThanOrEqual(29_000);
    await releaseLease(one.engine, lease);
    expect(await leaseHolder(one.engine, "run:1")).toBeUndefined();
    expect(await takeLease(one.engine, "run:1", at(0))).toMatchObject({ fence: 1 });
    await expect(note(one.engine, "late", lease)).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED", exit: "locked" });
  });

  test("goes to another when it was not renewed, and a late writer changes nothing", async () => {
    await using one = await prepared(open);
    const late = await take(one);
    await note(one.engine, "in time", late);
    await expire(one.engine, late);
    // Nobody wanted it: it is still held.
    await note(one.engine, "still in time", late);
    await expire(one.engine, late);
    const next = await take(one);
    expect(next.fence).toBe(2);
    await expect(note(one.engine, "late", late)).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED" });
    expect(await renewLease(one.engine, late, at(0))).toBe(false);
    await releaseLease(one.engine, late);
    await note(one.engine, "next", next);
    expect(await one.engine.all(written)).toEqual([["in time"], ["next"], ["still in time"]]);
  });

  test("of a turn is taken as any other", async () => {
    await using one = await prepared(open);
    const late = (await takeTurn(one.engine, "plan", at(0))) as Lease;
    expect(late).toMatchObject({ name: "plan", fence: 1 });
    expect(await takeTurn(one.engine, "plan", at(0))).toBeUndefined();
    await expire(one.engine, late);
    expect(await takeTurn(one.engine, "plan", at(0))).toMatchObject({ fence: 2 });
    await expect(one.engine.transaction((tx) => assertTurn(tx, late))).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED" });
  });

  test("is taken by exactly one of many who want it at once", async () => {
    await using one = await prepared(open);
    for (let round = 1; round <= 5; round++) {
      const taken = await Promise.all(Array.from({ length: 8 }, () => takeLease(one.engine, "run:1", at(0))));
      const winners = taken.filter((lease) => lease !== undefined);
      expect(winners.map(({ fence }) => fence)).toEqual([round]);
      await expire(one.engine, winners[0] as Lease);
    }
  });

  test("between a late writer and the one who takes over, whoever is first wins whole", async () => {
    await using one = await prepared(open);
    for (let round = 0; round < 10; round++) {
      const first = await take(one, `run:${round}`);
      await expire(one.engine, first);
      const [wrote, taken] = await Promise.all([
        note(one.engine, `${round}`, first).then(
          () => true,
          () => false,
        ),
        takeLease(one.engine, `run:${round}`, at(0)),
      ]);
      const kept = (await one.engine.first<[number]>(sql`SELECT count(*) FROM notes WHERE text = :text`, { text: `${round}` }))?.[0];
      // A writer who was in time was so before the lease was taken over; nobody is ever refused for nothing.
      expect(taken).toMatchObject({ fence: 2 });
      expect(kept).toBe(wrote ? 1 : 0);
      await expect(note(one.engine, "late", first)).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED" });
    }
  });

  test("is not taken over while a transaction that made sure of it goes on", async () => {
    await using one = await prepared(open);
    const lease = await take(one);
    await expire(one.engine, lease);
    const sure = Promise.withResolvers<void>();
    const order: string[] = [];
    const taking = sure.promise.then(() => takeLease(one.engine, "run:1", at(0))).then(() => order.push("taken over"));
    await one.engine.transaction(async (tx) => {
      await assertHeld(tx, lease);
      sure.resolve();
      for (let n = 0; n < 200; n++) await tx.run(sql`INSERT INTO notes VALUES ('sure')`);
      order.push("written");
    });
    await taking;
    expect(order).toEqual(["written", "taken over"]);
  });

  test("holds nobody up who renews it, in whatever order the work looks at its leases", async () => {
    await using one = await prepared(open);
    const held = await Promise.all(["b", "a"].map((name) => takeLease(one.engine, name, { ...at(0), owner: "one" })));
    let tries = 0;
    for (let round = 0; round < 20; round++) {
      const work = (order: readonly (Lease | undefined)[]) =>
        one.engine.transaction(async (tx) => {
          tries++;
          for (const lease of order) await assertHeld(tx, lease as Lease);
        });
      await Promise.all([work(held), renewAll(one.engine, "one", at(0)), work([...held].reverse()), renewAll(one.engine, "one", at(0))]);
    }
    expect(tries).toBe(40);
  });

  test("goes by the clock of the database where machines share one, else by the caller's", async () => {
    await using one = await prepared(open);
    await takeLease(one.engine, "run:1", at(0));
    const much = 365 * 86_400_000 * 100;
    expect(await takeLease(one.engine, "run:1", at(29_999))).toBeUndefined();
    const later = await takeLease(one.engine, "run:1", at(much));
    if (kind === "sqlite") expect(later).toMatchObject({ fence: 2 });
    else expect(later).toBeUndefined();
  });
});
