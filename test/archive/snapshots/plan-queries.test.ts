import { describe, expect, test } from "vitest";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import { planQueries } from "../../../src/core/db/archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { rowsOf, valuesOf } from "../../support/store/ask-file.ts";
import { addressOf, gone, NOON, noAnswer, opaqueModule, pinAt, recordOf, temporaryStore } from "../../support/store/temporary-store.ts";

const [a, b, c, d] = [addressOf(3), addressOf(0x20), addressOf(1), addressOf(0x100)];

/** What one account shows at one version. */
type Sight = { readonly sequence: bigint | null; readonly modules: Readonly<Record<string, string>> };

async function answer(engine: Engine, version: bigint, address: Address, { sequence, modules }: Sight): Promise<void> {
  const listed = Object.entries(modules).map(([name, text]) => opaqueModule(name, text));
  await visitQueries(engine).commitVisits(version, [{ address, account: sequence === null ? null : recordOf(sequence), modules: listed }]);
}

const planned = "SELECT address FROM _visits v JOIN _addresses a ON a.id = v.address_id WHERE state = 'planned' ORDER BY position";

// That pieces in any order come to what all at once comes to is in order.test.ts.
describe("extendSnapshot", () => {
  test("passes over what is answered for, and plans again what was missed but not for good", async () => {
    await using at = await temporaryStore();
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [a, b, c]);
    await answer(at.engine, 10n, a, { sequence: 1n, modules: {} });
    await gapQueries(at.engine).commitGap(10n, { address: b, ...noAnswer }, NOON);
    await gapQueries(at.engine).commitGap(10n, { address: c, ...gone }, NOON);
    await sealQueries(at.engine).seal(10n, { now: NOON });
    expect(await planQueries(at.engine).countPlan(10n, [a, b, c, d, d], "all")).toEqual({ accounts: 2, records: 2 });
    expect(await planQueries(at.engine).countPlan(10n, [a, b, c, d], "none")).toEqual({ accounts: 2, records: 0 });
    expect(await planQueries(at.engine).extendSnapshot(10n, [a, b, c, d])).toBe(2);
    expect(await planQueries(at.engine).extendSnapshot(10n, [a, b, c, d])).toBe(0);
    expect(valuesOf(at.path, planned)).toEqual([d, b]);
    expect(await snapshotQueries(at.engine).findSnapshot(10n)).toMatchObject({ status: "sealed_with_gaps", planned: 4 });
  });

  test("changes of both parts add up, and a snapshot with nothing in hand is sealed no second time", async () => {
    await using at = await temporaryStore();
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [a, b]);
    for (const address of [a, b]) await answer(at.engine, 10n, address, { sequence: 1n, modules: { m: "x" } });
    await sealQueries(at.engine).seal(10n, { now: NOON });
    // As after an answer that was lost on its way: begun twice comes to the same.
    const pin = await snapshotQueries(at.engine).createSnapshot(pinAt(20n), [a]);
    expect(await snapshotQueries(at.engine).createSnapshot(pinAt(20n), [a])).toEqual(pin);
    const other = snapshotQueries(at.engine).createSnapshot({ ...pinAt(20n), now: NOON + 1 }, [a]);
    await expect(other).rejects.toThrow("ledger version 20 is pinned already: its snapshot is unsealed");
    await answer(at.engine, 20n, a, { sequence: 1n, modules: { m: "y" } });
    expect(await sealQueries(at.engine).seal(20n, { now: NOON })).toMatchObject({ changedModules: 1 });
    await planQueries(at.engine).extendSnapshot(20n, [b]);
    await answer(at.engine, 20n, b, { sequence: 1n, modules: { m: "y" } });
    const whole = await sealQueries(at.engine).seal(20n, { now: NOON });
    expect(whole).toMatchObject({ status: "sealed", accounts: 2, changedModules: 2 });
    expect(await sealQueries(at.engine).seal(20n, { now: NOON + 1 })).toEqual(whole);
    await expect(() => sealQueries(at.engine).seal(30n, { now: NOON })).rejects.toThrow("it is missing");
    expect(rowsOf(at.path, "SELECT ledger_version, changed_modules FROM _all_snapshots ORDER BY 1")).toEqual([
      { ledger_version: 10, changed_modules: 0 },
      { ledger_version: 20, changed_modules: 2 },
    ]);
  });

  test("is refused where there is no snapshot to extend", async () => {
    await using at = await temporaryStore();
    await expect(() => planQueries(at.engine).extendSnapshot(10n, [a, b])).rejects.toThrow(
      expect.objectContaining({ code: "MOVEDEX_STORE_PIN" }),
    );
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [a, b]);
    await gapQueries(at.engine).commitRest(10n, noAnswer, NOON);
    expect((await sealQueries(at.engine).seal(10n, { now: NOON })).status).toBe("abandoned");
    await expect(() => planQueries(at.engine).retryGaps(10n)).rejects.toThrow(/it is abandoned/);
  });
});
