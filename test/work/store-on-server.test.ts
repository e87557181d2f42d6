import { expect, test } from "vitest";
import { openStore } from "../../src/core/work/store.ts";
import { targetQueries } from "../../src/core/work/targets/targets.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { addressOf, NOON } from "../support/store/temporary-store.ts";

const write = { mode: "write", now: () => NOON } as const;
const target = (n: number) => ({ address: addressOf(n), reason: "given", via: null, depth: 0 }) as const;

eachPostgres("a store on a server", (open) => {
  test("is written by one at a time, and joined and read beside it", async () => {
    const at = await open();
    await expect(openStore(at.url(), { mode: "read" })).rejects.toMatchObject({ code: "MOVEDEX_STORE_MISSING" });
    await expect(openStore(at.url(), { mode: "join" })).rejects.toMatchObject({ code: "MOVEDEX_STORE_MISSING" });
    const store = await openStore(at.url(), write);
    expect(await targetQueries(store.engine).addTargets([target(1)], NOON)).toBe(1);
    await expect(openStore(at.url(), write)).rejects.toMatchObject({ code: "MOVEDEX_STORE_LOCKED", exit: "locked" });
    const joined = await openStore(at.url(), { mode: "join" });
    expect(await targetQueries(joined.engine).addTargets([target(2)], NOON)).toBe(1);
    await joined.close();
    const reader = await openStore(at.url(), { mode: "read" });
    expect(await targetQueries(reader.engine).countTargets()).toBe(2);
    await reader.close();
    await store.close();
    await using next = await openStore(at.url(), write);
    expect(await targetQueries(next.engine).removeTargets([addressOf(1)], NOON)).toBe(1);
  });

  test("is in the schema that its address names", async () => {
    const at = await open();
    const store = await openStore(`${at.url()}?schema=nights`, write);
    await targetQueries(store.engine).addTargets([target(1)], NOON);
    await store.close();
    await expect(openStore(at.url(), { mode: "read" })).rejects.toMatchObject({ code: "MOVEDEX_STORE_MISSING" });
    await using reader = await openStore(`${at.url()}?schema=nights`, { mode: "read" });
    expect(await targetQueries(reader.engine).countTargets()).toBe(1);
  });
});
