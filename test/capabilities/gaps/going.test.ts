import { expect, test } from "vitest";
import { horizonSentence, readGoing, unheldClauses } from "../../../src/capabilities/gaps/going.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { addressOf, NOON, night, opaqueModule } from "../../support/store/temporary-store.ts";

const DAY_MS = 86_400_000;

eachArchive("what goes within a day", (open) => {
  const sampled = async (engine: Parameters<typeof runQueries>[0], horizons: readonly bigint[]) => {
    for (const [i, oldestVersion] of horizons.entries()) {
      const [sampledAt, headVersion] = [NOON - (horizons.length - 1 - i) * DAY_MS, 3000n + BigInt(i) * 1000n];
      await runQueries(engine).addHeadSample({ node: "http://node/v1", sampledAt, headVersion, oldestVersion, timestampUsec: 0n });
    }
  };

  test("names the accounts, snapshots and changes that are not held of what the horizon takes", async () => {
    await using store = await open();
    const { engine } = store;
    const [one, two, three] = [addressOf(1), addressOf(2), addressOf(3)];
    await night(engine, 3000n, [
      [one, { sequence: 1n, modules: [opaqueModule("m", "a")] }],
      [two, { sequence: 1n, modules: {} }],
    ]);
    await night(engine, 4000n, [
      [one, { sequence: 1n, modules: [opaqueModule("m", "b")] }],
      [two, "missed"],
      [three, "missed"],
    ]);
    // It rose by a thousand versions in the day, and takes those below 3500 in the next.
    await sampled(engine, [1500n, 2500n]);
    const going = await readGoing(engine, NOON);
    expect(going).toMatchObject({ from: 2500n, below: 3500n, atMs: NOON + DAY_MS, changes: 1, versions: [] });
    expect(going?.accounts).toEqual([
      { address: three, lastHeld: null },
      { address: two, lastHeld: 3000n },
    ]);
    expect(going && horizonSentence(going)).toBe("versions below 3,500 are gone by 2023-11-15T22:13Z");
    expect(going && unheldClauses(going)).toEqual([
      "2 accounts: 0x3 (never read), 0x2 (last held at 3,000)",
      "the exact version of 1 change",
    ]);
    // By then all that the node had is gone.
    expect(await readGoing(engine, NOON + 2 * DAY_MS)).toBeUndefined();
  });

  test("is not told where the horizon stands still, or nothing is known of it", async () => {
    await using store = await open();
    expect(await readGoing(store.engine, NOON)).toBeUndefined();
    await sampled(store.engine, [1500n, 1500n]);
    expect(await readGoing(store.engine, NOON)).toBeUndefined();
  });
});
