import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../../src/move/address.ts";
import type { Store } from "../../../src/store/store.ts";
import { databaseContent } from "../../support/database-content.ts";
import { addressOf, NOON, opaqueModule, recordOf, rowsOf, temporaryStore } from "../support/temporary-store.ts";

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

function miss(store: Store, version: bigint, address: Address): void {
  const facts = { reason: "timeout", errorCode: null, httpStatus: null, message: "no answer", attempts: 1, isFinal: false };
  store.commitMiss(version, { address, ...facts }, NOON);
}

function answer(store: Store, version: bigint, address: Address, sight: Sight): void {
  if (sight === "missed") miss(store, version, address);
  if (typeof sight === "string") return;
  const modules = Object.entries(sight.modules).map(([name, text]) => opaqueModule(name, text));
  store.commitVisit(version, { address, account: sight.sequence === null ? null : recordOf(sight.sequence), modules });
}

/** Whether sealing would keep anything of the first part. */
const isKept = (row: readonly Plan[]): boolean =>
  row.some(({ sight, part, isMissedFirst }) => typeof sight === "object" && part === 0 && !isMissedFirst);

describe("extendPin", () => {
  test("any order of sealing and extending holds what sealing everything at once holds", () => {
    fc.assert(
      fc.property(history, fc.shuffledSubarray(versions, { minLength: 4 }), fc.infiniteStream(fc.nat()), (rows, order, picks) => {
        const wanted = order.filter((version) => isKept(rows[versions.indexOf(version)] as Plan[]));
        const rowOf = (version: bigint): [Address, Plan][] =>
          (rows[versions.indexOf(version)] as Plan[]).map((item, i) => [accounts[i] as Address, item]);
        using straight = temporaryStore();
        for (const version of wanted) {
          const asked = rowOf(version).filter(([, { sight }]) => sight !== "unasked");
          straight.store.createPin(
            pinAt(version),
            asked.map(([address]) => address),
          );
          for (const [address, { sight }] of asked) answer(straight.store, version, address, sight);
          straight.store.seal(version, { now: NOON });
        }
        using pieced = temporaryStore();
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
          if (step.part === 0) store.createPin(pinAt(version), addresses);
          else expect(store.extendPin(version, addresses)).toBeLessThanOrEqual(addresses.length);
          for (const [address, { sight, part, isMissedFirst }] of now) {
            const isPlanned = store.plannedTargets(version, undefined, 100).includes(address);
            if (!isPlanned) continue;
            if (isMissedFirst && step.part === 0 && (part > 0 || step.part === part) && sight !== "missed") miss(store, version, address);
            else answer(store, version, address, sight);
          }
          if (store.unfinishedPins().some(({ ledgerVersion }) => ledgerVersion === version)) store.seal(version, { now: NOON });
        }
        // What was missed first and never asked again is asked for now.
        for (const version of wanted) {
          if (store.retryMisses(version) === 0) continue;
          for (const [address, { sight }] of rowOf(version)) {
            if (store.plannedTargets(version, undefined, 100).includes(address)) answer(store, version, address, sight);
          }
          store.seal(version, { now: NOON });
        }
        expect(databaseContent(pieced.path)).toEqual(databaseContent(straight.path));
        expect(rowsOf(pieced.path, "SELECT ledger_version, planned, accounts, gaps FROM pins ORDER BY 1")).toEqual(
          rowsOf(straight.path, "SELECT ledger_version, planned, accounts, gaps FROM pins ORDER BY 1"),
        );
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  test("passes over what is answered for, and plans again what was missed but not for good", () => {
    using at = temporaryStore();
    const [a, b, c, d] = accounts as [Address, Address, Address, Address];
    at.store.createPin(pinAt(10n), [a, b, c]);
    answer(at.store, 10n, a, { sequence: 1n, modules: {} });
    miss(at.store, 10n, b);
    const gone = { reason: "pruned", errorCode: null, httpStatus: 410, message: "gone", attempts: 1, isFinal: true };
    at.store.commitMiss(10n, { address: c, ...gone }, NOON);
    at.store.seal(10n, { now: NOON });
    expect(at.store.countUnanswered(10n, [a, b, c, d, d])).toBe(2);
    expect(at.store.extendPin(10n, [a, b, c, d])).toBe(2);
    expect(at.store.extendPin(10n, [a, b, c, d])).toBe(0);
    expect(at.store.plannedTargets(10n, undefined, 9)).toEqual([b, d]);
    expect(at.store.findPin(10n)).toMatchObject({ status: "sealed_with_gaps", planned: 4 });
  });

  test("a sealed snapshot stays as it is for readers until it is sealed again", () => {
    using at = temporaryStore();
    const [a, b] = accounts as [Address, Address];
    at.store.createPin(pinAt(10n), [a]);
    answer(at.store, 10n, a, { sequence: 1n, modules: { m: "x" } });
    const first = at.store.seal(10n, { now: NOON });
    expect(at.store.unfinishedPins()).toEqual([]);
    at.store.extendPin(10n, [b]);
    answer(at.store, 10n, b, { sequence: 1n, modules: { m: "y" } });
    expect(at.store.unfinishedPins()).toMatchObject([{ ledgerVersion: 10n, status: "sealed" }]);
    expect(rowsOf(at.path, "SELECT address FROM modules_at")).toEqual([{ address: a }]);
    expect(rowsOf(at.path, "SELECT digest FROM snapshots")).toEqual([{ digest: first.digest }]);
    expect(at.store.seal(10n, { now: NOON })).toMatchObject({ status: "sealed", accounts: 2, modules: 2, gaps: 0 });
    expect(rowsOf(at.path, "SELECT address FROM modules_latest ORDER BY 1")).toEqual([{ address: b }, { address: a }]);
  });

  test("an account that shows at the newest snapshot what it showed before is covered there all the same", () => {
    using at = temporaryStore();
    const [a, b] = accounts as [Address, Address];
    const same: Sight = { sequence: 1n, modules: { m: "x" } };
    at.store.createPin(pinAt(10n), [a, b]);
    for (const address of [a, b]) answer(at.store, 10n, address, same);
    at.store.seal(10n, { now: NOON });
    at.store.createPin(pinAt(20n), [a]);
    answer(at.store, 20n, a, same);
    at.store.seal(20n, { now: NOON });
    at.store.extendPin(20n, [b]);
    answer(at.store, 20n, b, same);
    at.store.seal(20n, { now: NOON });
    expect(rowsOf(at.path, "SELECT from_version, to_version FROM coverage")).toEqual([
      { from_version: 10, to_version: null },
      { from_version: 10, to_version: null },
    ]);
    expect(rowsOf(at.path, "SELECT ledger_version, digest FROM snapshots GROUP BY digest")).toHaveLength(1);
  });

  test("an extension of which nothing answers leaves the snapshot sealed, with gaps", () => {
    using at = temporaryStore();
    const [a, b] = accounts as [Address, Address];
    at.store.createPin(pinAt(10n), [a]);
    answer(at.store, 10n, a, { sequence: 1n, modules: { m: "x" } });
    const { digest } = at.store.seal(10n, { now: NOON });
    at.store.extendPin(10n, [b]);
    miss(at.store, 10n, b);
    expect(at.store.seal(10n, { now: NOON })).toMatchObject({ status: "sealed_with_gaps", accounts: 1, gaps: 1, digest });
  });

  test("puts accounts into the plan of an open snapshot in the order of addresses", () => {
    using at = temporaryStore();
    const [a, b, c, d] = accounts as [Address, Address, Address, Address];
    at.store.createPin(pinAt(10n), [a, d]);
    expect(at.store.extendPin(10n, [c, b, a])).toBe(2);
    expect(at.store.plannedTargets(10n, undefined, 9)).toEqual([c, a, b, d]);
    expect(at.store.plannedTargets(10n, a, 9)).toEqual([b, d]);
    expect(at.store.findPin(10n)?.planned).toBe(4);
  });

  test("is refused where there is no snapshot to extend", () => {
    using at = temporaryStore();
    expect(() => at.store.extendPin(10n, accounts)).toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_PIN" }));
    at.store.createPin(pinAt(10n), accounts);
    at.store.abandon(10n);
    expect(() => at.store.retryMisses(10n)).toThrow(/which is abandoned/);
  });
});
