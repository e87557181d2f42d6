import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../../src/move/address.ts";
import type { Store } from "../../../src/work/store.ts";
import { sized } from "../../run-size.ts";
import { databaseContent } from "../../support/database-content.ts";
import { addressOf, NOON, opaqueModule, recordOf, rowsOf, temporaryStore } from "../../support/store/temporary-store.ts";

const accounts = [3, 0x20, 1, 0x100].map(addressOf);
const versions = [10n, 20n, 30n, 40n];

/** What one account shows at one version: nothing was asked, or it never answers, or one of a few contents. */
type Sight = "unasked" | "missed" | { readonly sequence: bigint | null; readonly modules: Readonly<Record<string, string>> };
/** In which part of the work it is answered: 0 with the snapshot, 1 or 2 with later extensions; a miss may come before that. */
type Plan = { readonly sight: Sight; readonly part: 0 | 1 | 2; readonly isMissedFirst: boolean };

const sight: fc.Arbitrary<Sight> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Sight>("unasked", "missed") },
  {
    weight: 4,
    arbitrary: fc.record({
      sequence: fc.option(fc.constantFrom(1n, 2n), { nil: null }),
      modules: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y"), { maxKeys: 2 }),
    }),
  },
);
const plan = fc.record({ sight, part: fc.constantFrom(0 as const, 1 as const, 2 as const), isMissedFirst: fc.boolean() });
const history = fc.array(fc.array(plan, { minLength: accounts.length, maxLength: accounts.length }), {
  minLength: versions.length,
  maxLength: versions.length,
});

const pinAt = (ledgerVersion: bigint) => ({
  chainId: 4,
  ledgerVersion,
  headVersion: 50n,
  oldestVersion: 0n,
  headTimestampUsec: 0n,
  now: NOON,
});

async function miss(store: Store, version: bigint, address: Address): Promise<void> {
  const facts = { reason: "timeout", errorCode: null, httpStatus: null, message: "no answer", attempts: 1, isFinal: false };
  await store.commitMiss(version, { address, ...facts }, NOON);
}

async function answer(store: Store, version: bigint, address: Address, sight: Sight): Promise<void> {
  if (sight === "missed") await miss(store, version, address);
  if (typeof sight === "string") return;
  const modules = Object.entries(sight.modules).map(([name, text]) => opaqueModule(name, text));
  await store.commitVisit(version, { address, account: sight.sequence === null ? null : recordOf(sight.sequence), modules });
}

/** Whether sealing would keep anything of the first part. */
const isKept = (row: readonly Plan[]): boolean =>
  row.some(({ sight, part, isMissedFirst }) => typeof sight === "object" && part === 0 && !isMissedFirst);

describe("extendPin", () => {
  test("any order of sealing and extending holds what sealing everything at once holds", async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.shuffledSubarray(versions, { minLength: 4 }),
        fc.infiniteStream(fc.nat()),
        async (rows, order, picks) => {
          const wanted = order.filter((version) => isKept(rows[versions.indexOf(version)] as Plan[]));
          const rowOf = (version: bigint): [Address, Plan][] =>
            (rows[versions.indexOf(version)] as Plan[]).map((item, i) => [accounts[i] as Address, item]);
          await using straight = await temporaryStore();
          for (const version of wanted) {
            const asked = rowOf(version).filter(([, { sight }]) => sight !== "unasked");
            await straight.store.createPin(
              pinAt(version),
              asked.map(([address]) => address),
            );
            for (const [address, { sight }] of asked) await answer(straight.store, version, address, sight);
            await straight.store.seal(version, { now: NOON });
          }
          await using pieced = await temporaryStore();
          const { store } = pieced;
          const rest = wanted.flatMap((version) => [0, 1, 2].map((part) => ({ version, part })));
          while (rest.length > 0) {
            // Parts of one snapshot keep their order; snapshots do not.
            const next = rest[(picks.next().value as number) % rest.length] as (typeof rest)[number];
            const step = rest.find(({ version }) => version === next.version) as (typeof rest)[number];
            rest.splice(rest.indexOf(step), 1);
            const { version } = step;
            const now = rowOf(version).filter(
              ([, { sight, part, isMissedFirst }]) => sight !== "unasked" && (part === step.part || (isMissedFirst && step.part === 0)),
            );
            const addresses = now.map(([address]) => address);
            if (step.part === 0) await store.createPin(pinAt(version), addresses);
            else expect(await store.extendPin(version, addresses)).toBeLessThanOrEqual(addresses.length);
            for (const [address, { sight, part, isMissedFirst }] of now) {
              const isPlanned = (await store.plannedTargets(version, undefined, 100)).includes(address);
              if (!isPlanned) continue;
              if (isMissedFirst && step.part === 0 && (part > 0 || step.part === part) && sight !== "missed")
                await miss(store, version, address);
              else await answer(store, version, address, sight);
            }
            if ((await store.unfinishedPins()).some(({ ledgerVersion }) => ledgerVersion === version))
              await store.seal(version, { now: NOON });
          }
          // What was missed first and never asked again is asked for now.
          for (const version of wanted) {
            if ((await store.retryMisses(version)) === 0) continue;
            for (const [address, { sight }] of rowOf(version)) {
              if ((await store.plannedTargets(version, undefined, 100)).includes(address)) await answer(store, version, address, sight);
            }
            await store.seal(version, { now: NOON });
          }
          expect(databaseContent(pieced.path)).toEqual(databaseContent(straight.path));
          expect(rowsOf(pieced.path, "SELECT ledger_version, planned, accounts, gaps FROM _pins ORDER BY 1")).toEqual(
            rowsOf(straight.path, "SELECT ledger_version, planned, accounts, gaps FROM _pins ORDER BY 1"),
          );
        },
      ),
      { numRuns: sized(8, 25) },
    );
  });

  test("passes over what is answered for, and plans again what was missed but not for good", async () => {
    await using at = await temporaryStore();
    const [a, b, c, d] = accounts as [Address, Address, Address, Address];
    await at.store.createPin(pinAt(10n), [a, b, c]);
    await answer(at.store, 10n, a, { sequence: 1n, modules: {} });
    await miss(at.store, 10n, b);
    const gone = { reason: "pruned", errorCode: null, httpStatus: 410, message: "gone", attempts: 1, isFinal: true };
    await at.store.commitMiss(10n, { address: c, ...gone }, NOON);
    await at.store.seal(10n, { now: NOON });
    expect(await at.store.countPlan(10n, [a, b, c, d, d], "all")).toEqual({ accounts: 2, records: 2 });
    expect(await at.store.countPlan(10n, [a, b, c, d], "none")).toEqual({ accounts: 2, records: 0 });
    expect(await at.store.extendPin(10n, [a, b, c, d])).toBe(2);
    expect(await at.store.extendPin(10n, [a, b, c, d])).toBe(0);
    expect(await at.store.plannedTargets(10n, undefined, 9)).toEqual([b, d]);
    expect(await at.store.findPin(10n)).toMatchObject({ status: "sealed_with_gaps", planned: 4 });
  });

  test("a sealed snapshot stays as it is for readers until it is sealed again", async () => {
    await using at = await temporaryStore();
    const [a, b] = accounts as [Address, Address];
    await at.store.createPin(pinAt(10n), [a]);
    await answer(at.store, 10n, a, { sequence: 1n, modules: { m: "x" } });
    const first = await at.store.seal(10n, { now: NOON });
    expect(await at.store.unfinishedPins()).toEqual([]);
    await at.store.extendPin(10n, [b]);
    await answer(at.store, 10n, b, { sequence: 1n, modules: { m: "y" } });
    expect(await at.store.unfinishedPins()).toMatchObject([{ ledgerVersion: 10n, status: "sealed" }]);
    expect(rowsOf(at.path, "SELECT address FROM modules_at")).toEqual([{ address: a }]);
    expect(rowsOf(at.path, "SELECT digest FROM snapshots")).toEqual([{ digest: first.digest }]);
    expect(await at.store.seal(10n, { now: NOON })).toMatchObject({ status: "sealed", accounts: 2, modules: 2, gaps: 0 });
    expect(rowsOf(at.path, "SELECT address FROM modules_latest ORDER BY 1")).toEqual([{ address: b }, { address: a }]);
  });

  test("an account that shows at the newest snapshot what it showed before is covered there all the same", async () => {
    await using at = await temporaryStore();
    const [a, b] = accounts as [Address, Address];
    const same: Sight = { sequence: 1n, modules: { m: "x" } };
    await at.store.createPin(pinAt(10n), [a, b]);
    for (const address of [a, b]) await answer(at.store, 10n, address, same);
    await at.store.seal(10n, { now: NOON });
    await at.store.createPin(pinAt(20n), [a]);
    await answer(at.store, 20n, a, same);
    await at.store.seal(20n, { now: NOON });
    await at.store.extendPin(20n, [b]);
    await answer(at.store, 20n, b, same);
    await at.store.seal(20n, { now: NOON });
    expect(rowsOf(at.path, "SELECT from_version, to_version FROM _coverage")).toEqual([
      { from_version: 10, to_version: null },
      { from_version: 10, to_version: null },
    ]);
    expect(rowsOf(at.path, "SELECT ledger_version, digest FROM snapshots GROUP BY digest")).toHaveLength(1);
  });

  test("an extension of which nothing answers leaves the snapshot sealed, with gaps", async () => {
    await using at = await temporaryStore();
    const [a, b] = accounts as [Address, Address];
    await at.store.createPin(pinAt(10n), [a]);
    await answer(at.store, 10n, a, { sequence: 1n, modules: { m: "x" } });
    const { digest } = await at.store.seal(10n, { now: NOON });
    await at.store.extendPin(10n, [b]);
    await miss(at.store, 10n, b);
    expect(await at.store.seal(10n, { now: NOON })).toMatchObject({ status: "sealed_with_gaps", accounts: 1, gaps: 1, digest });
  });

  test("puts accounts into the plan of an open snapshot in the order of addresses", async () => {
    await using at = await temporaryStore();
    const [a, b, c, d] = accounts as [Address, Address, Address, Address];
    await at.store.createPin(pinAt(10n), [a, d]);
    expect(await at.store.extendPin(10n, [c, b, a])).toBe(2);
    expect(await at.store.plannedTargets(10n, undefined, 9)).toEqual([c, a, b, d]);
    expect(await at.store.plannedTargets(10n, a, 9)).toEqual([b, d]);
    expect((await at.store.findPin(10n))?.planned).toBe(4);
  });

  test("is refused where there is no snapshot to extend", async () => {
    await using at = await temporaryStore();
    await expect(() => at.store.extendPin(10n, accounts)).rejects.toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_PIN" }));
    await at.store.createPin(pinAt(10n), accounts);
    const gone = { reason: "gone", errorCode: null, httpStatus: 410, message: "gone", attempts: 1, isFinal: false };
    await at.store.missRest(10n, gone, NOON);
    expect((await at.store.seal(10n, { now: NOON })).status).toBe("abandoned");
    await expect(() => at.store.retryMisses(10n)).rejects.toThrow(/it is abandoned/);
  });
});
