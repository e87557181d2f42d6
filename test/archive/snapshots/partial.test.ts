import fc from "fast-check";
import { expect, test } from "vitest";
import { sealCheck, spanCheck } from "../../../src/capabilities/verify/observations.ts";
import { bytecodeQueries } from "../../../src/core/db/archive/content/bytecodes.ts";
import { planQueries } from "../../../src/core/db/archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { named, sql } from "../../../src/core/db/schema/sql/sql.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { sized } from "../../run-size.ts";
import { addressOf, NOON, opaqueModule, pinAt, recordOf } from "../../support/store/temporary-store.ts";

const accounts = [0x1, 0x10, 0xabcd, 0xffff].map(addressOf);
const RUNS = sized({ sqlite: 8, postgresql: 3 }, { sqlite: 150, postgresql: 20 });

/**
 * What a night does with an account: reads it whole or its modules alone, plans it and passes it over when its budget ends, or does
 * not choose it.
 */
type Choice = "read" | "code" | "dropped" | "left";
/** What stands at an account on one night: its module's text, none without, and its record's number. */
type State = { readonly code: string | undefined; readonly sequence: bigint | null };
type Night = { readonly choices: readonly Choice[]; readonly states: readonly State[] };

const choice = fc.constantFrom<Choice>("read", "read", "code", "code", "dropped", "left", "left");
const state: fc.Arbitrary<State> = fc.record({ code: fc.constantFrom(undefined, "x", "y"), sequence: fc.constantFrom(null, 1n, 2n) });
const ofEach = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: accounts.length, maxLength: accounts.length });
const isRead = (one: Choice | undefined): boolean => one === "read" || one === "code";
const someRead = ofEach(choice).filter((choices) => choices.some(isRead));
const nights: fc.Arbitrary<Night[]> = fc.array(fc.record({ choices: someRead, states: ofEach(state) }), { minLength: 1, maxLength: 6 });

const storeOn = (engine: Engine) => ({
  ...snapshotQueries(engine),
  ...visitQueries(engine, bytecodeQueries(engine)),
  ...planQueries(engine),
  ...sealQueries(engine),
});

async function take(engine: Engine, version: number, { choices, states }: Night): Promise<void> {
  const store = storeOn(engine);
  const of = (wanted: Choice): Address[] => accounts.filter((_, i) => choices[i] === wanted);
  await store.createSnapshot({ ...pinAt(BigInt(version)), passedOver: of("left").length }, [
    ...of("read"),
    ...of("code"),
    ...of("dropped"),
  ]);
  const visits = accounts.flatMap((address, i) => {
    const { code, sequence } = states[i] as State;
    const modules = code === undefined ? [] : [opaqueModule("coin", code)];
    const record = sequence === null ? null : { ...recordOf(sequence), authenticationKey: new Uint8Array(32).fill(Number(sequence)) };
    return isRead(choices[i]) ? [{ address, account: choices[i] === "code" ? undefined : record, modules }] : [];
  });
  await store.commitVisits(BigInt(version), visits);
  expect(await store.passOverRest(BigInt(version), NOON)).toBe(of("dropped").length);
  expect(await store.seal(BigInt(version), { now: NOON })).toMatchObject({ status: "sealed", accounts: visits.length, gaps: 0 });
}

const whole = { part: 0, of: 1 };
const versionOf = (index: number): number => 10 * (index + 1);
const emptied = ["_visits", "_coverage", "_account_spans", "_listing_spans", "_all_snapshots"].map(
  (name) => sql`DELETE FROM ${named(name)}`,
);
const questions = [
  sql`SELECT ledger_version, accounts_read, accounts_passed_over, gaps, records_read FROM snapshot_coverage ORDER BY 1`,
  sql`SELECT ledger_version, address, has_record FROM covered_at ORDER BY 1, 2`,
  sql`SELECT address, ledger_version, sequence_number FROM accounts_latest ORDER BY 1`,
  sql`SELECT address, after_version, at_or_before_version FROM key_rotations ORDER BY 1, 2`,
];

eachArchive("nights that read a part", (open, name) => {
  test("say present, absent and not known as it was", async () => {
    await using at = await open();
    const { engine } = at;
    await fc.assert(
      fc.asyncProperty(nights, async (taken) => {
        for (const statement of emptied) await engine.run(statement);
        for (const [index, night] of taken.entries()) await take(engine, versionOf(index), night);
        const [counted, covered, newestRecords, rotations] = await Promise.all(questions.map((question) => engine.all(question)));

        // Three answers: what was read is present or absent, of all else nothing is said.
        const seen = taken.flatMap(({ choices, states }, index) =>
          accounts.flatMap((address, i) =>
            isRead(choices[i]) ? [{ version: versionOf(index), address, isWhole: choices[i] === "read", ...(states[i] as State) }] : [],
          ),
        );
        const byAccount = (a: (typeof seen)[number], b: (typeof seen)[number]) => a.version - b.version || (a.address < b.address ? -1 : 1);
        expect(counted).toEqual(
          taken.map(({ choices }, index) => {
            const read = choices.filter(isRead).length;
            return [versionOf(index), read, accounts.length - read, 0, choices.filter((one) => one === "read").length];
          }),
        );
        expect(covered).toEqual(
          seen.toSorted(byAccount).map((one) => [one.version, one.address, one.isWhole ? (one.sequence === null ? 0 : 1) : null]),
        );
        const latest = accounts.flatMap((address) => {
          const newest = seen.findLast((one) => one.address === address && one.isWhole);
          return newest === undefined || newest.sequence === null ? [] : [[address, newest.version, newest.sequence]];
        });
        const stored = newestRecords?.map(([address, version, sequence]) => [address, version, BigInt(sequence as string)]);
        expect(stored).toEqual(latest.toSorted((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1)));
        const rotated = accounts.flatMap((address) => {
          const whole = seen.filter((one) => one.address === address && one.isWhole);
          return whole.flatMap(({ version, sequence }, i) => {
            const before = whole[i - 1];
            if (before === undefined || before.sequence === null || sequence === null || before.sequence === sequence) return [];
            return [[address, before.version, version]];
          });
        });
        expect(rotations).toEqual(
          rotated.toSorted((a, b) => (a[0] === b[0] ? (a[1] as number) - (b[1] as number) : (a[0] as string) < (b[0] as string) ? -1 : 1)),
        );
        for (const check of [spanCheck(engine, whole), sealCheck(engine, whole)])
          for await (const damage of check.steps()) expect(damage).toEqual([]);
      }),
      { numRuns: RUNS[name] },
    );
  });
});
