import { expect, test } from "vitest";
import type { Address } from "../../../src/move/address.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { openEngine } from "../../../src/store/connection/open-engine.ts";
import { openStore, type Store, type StoreInTurn } from "../../../src/store/store.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";

const target = { address: "0x1" as Address, reason: "given", via: null, depth: 0 } as const;

eachPostgres("a turn that another takes over", (open) => {
  const scene = async (play: (stores: [Store, Store], notices: string[], expire: () => Promise<void>) => Promise<void>) => {
    const url = (await open()).url();
    const notices: string[] = [];
    const join = () =>
      openStore(url, {
        mode: "write",
        now: () => 0,
        share: { command: "sync", node: "http://node" },
        onNotice: (sentence) => notices.push(sentence),
      });
    const stores: [Store, Store] = [await join(), await join()];
    const { engine, close } = await openEngine(url, { mode: "join" });
    await play(stores, notices, async () => {
      await engine.run(sql`UPDATE leases SET until = since WHERE name = 'plan'`);
    });
    await close();
    for (const store of stores) await store.close();
  };

  test("writes nothing, and its work is done again when its turn comes", () =>
    scene(async ([one, two], notices, expire) => {
      const seen: number[] = [];
      const work = async (turn: StoreInTurn) => {
        const targets = (await turn.listTargets()).length;
        seen.push(targets);
        if (seen.length === 1) {
          await expire();
          await two.inTurn("plan", (other) => other.addTargets([target], 0));
          await turn.addTargets([{ ...target, address: "0x2" as Address }], 0);
        }
        return targets;
      };
      expect(await one.inTurn("plan", work)).toBe(1);
      expect(seen).toEqual([0, 1]);
      expect(notices).toEqual([expect.stringContaining("`plan`")]);
    }));

  test("again and again is an error in the end", () =>
    scene(async ([one, two], notices, expire) => {
      const work = async (turn: StoreInTurn) => {
        await expire();
        await two.inTurn("plan", async () => {});
        await turn.addTargets([target], 0);
      };
      await expect(one.inTurn("plan", work)).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED", facts: { lease: "plan" } });
      expect(notices).toHaveLength(9);
      expect(await one.listTargets()).toEqual([]);
    }));
});
