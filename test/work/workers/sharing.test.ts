import { expect, test } from "vitest";
import { databaseAt } from "../../../src/engine/database-at.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { turnEngine } from "../../../src/engine/leases/fenced-engine.ts";
import { type Lease, takeTurn } from "../../../src/engine/leases/leases.ts";
import type { Address } from "../../../src/move/address.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { openStore, type Store } from "../../../src/work/store.ts";
import { targetQueries } from "../../../src/work/targets/targets.ts";
import { withLease } from "../../../src/work/workers/sharing.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";

type Taking = () => Promise<Lease | undefined>;

const target = { address: "0x1" as Address, reason: "given", via: null, depth: 0 } as const;

eachPostgres("a turn that another takes over", (open) => {
  const scene = async (play: (stores: [Store, Store], notices: string[], expire: () => Promise<void>) => Promise<void>) => {
    const at = await open();
    const url = at.url();
    const notices: string[] = [];
    const share = { command: "sync", node: "http://node" } as const;
    const join = () => openStore(url, { mode: "write", now: () => 0, share, onNotice: (sentence) => notices.push(sentence) });
    await using one = await join();
    await using two = await join();
    await play([one, two], notices, () => at.prepare("UPDATE movedex._leases SET until = since WHERE name = 'plan'"));
  };

  test("writes nothing, and its work is done again when its turn comes", () =>
    scene(async ([one, two], notices, expire) => {
      const seen: number[] = [];
      const work = async (turn: Engine) => {
        const targets = (await Array.fromAsync(targetQueries(turn).listTargets())).flat().length;
        seen.push(targets);
        if (seen.length === 1) {
          await expire();
          await withLease(two, "plan", (other) => targetQueries(other).addTargets([target], 0));
          await targetQueries(turn).addTargets([{ ...target, address: "0x2" as Address }], 0);
        }
        return targets;
      };
      expect(await withLease(one, "plan", work)).toBe(1);
      expect(seen).toEqual([0, 1]);
      expect(notices).toEqual([expect.stringContaining("`plan`")]);
    }));

  /** One whose turn is over, as it writes, and whether another can take the turn meanwhile. */
  const inTheMidst = async (
    play: (turn: { engine: Engine; expire: (agoMs: number) => Promise<unknown>; take: Taking }) => Promise<void>,
  ) => {
    const url = (await open()).url();
    await (await openStore(url, { mode: "write", now: () => 0 })).close();
    const [mine, others] = [await databaseAt(url).open({ mode: "join" }), await databaseAt(url).open({ mode: "join" })];
    const take: Taking = () => takeTurn(others.engine, "plan", { now: () => 0, ttlMs: 60_000 });
    const expire = (agoMs: number) =>
      others.engine.run(sql`UPDATE _leases SET until = clock_timestamp() - :ago * interval '1 millisecond' WHERE name = 'plan'`, {
        ago: agoMs,
      });
    await play({ engine: turnEngine(mine.engine, (await take()) as Lease), expire, take });
    for (const { close } of [mine, others]) await close();
  };

  test("is not taken over in the midst of a transaction, and begins none afterwards", () =>
    inTheMidst(async ({ engine, expire, take }) => {
      await engine.transaction(async (tx) => {
        await tx.run(sql`UPDATE _archive SET id = id`);
        // The lease can be renewed meanwhile, or run out.
        await expire(1_000);
        expect(await take()).toBeUndefined();
      });
      expect(await take()).toMatchObject({ fence: 2 });
      let isBegun = false;
      const late = engine.transaction(async () => {
        isBegun = true;
      });
      await expect(late).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED", facts: { lease: "plan" } });
      expect(isBegun).toBe(false);
    }));

  test("is taken over when a transaction has stood still for as long as the lease lasts, and what that one wrote is undone", () =>
    inTheMidst(async ({ engine, expire, take }) => {
      const late = engine.transaction(async (tx) => {
        await tx.run(sql`DELETE FROM _archive`);
        await expire(61_000);
        expect(await take()).toMatchObject({ fence: 2 });
      });
      await expect(late).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED" });
      expect(await engine.all(sql`SELECT id FROM _archive`)).toHaveLength(1);
    }));

  test("again and again is an error in the end", () =>
    scene(async ([one, two], notices, expire) => {
      const work = async (turn: Engine) => {
        await expire();
        await withLease(two, "plan", async () => {});
        await targetQueries(turn).addTargets([target], 0);
      };
      await expect(withLease(one, "plan", work)).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED", facts: { lease: "plan" } });
      expect(notices).toHaveLength(9);
      expect((await Array.fromAsync(targetQueries(one.engine).listTargets())).flat()).toEqual([]);
    }));
});
