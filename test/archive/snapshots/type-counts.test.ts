import fc from "fast-check";
import { expect, test } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/module-writer/module-writer.ts";
import { countCheck } from "../../../src/capabilities/verify/bytecodes.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { bytecodeQueries } from "../../../src/core/db/archive/content/bytecodes.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import { forgetRows } from "../../../src/core/db/archive/content/derive-rows.ts";
import { fillCounts } from "../../../src/core/db/archive/content/type-counts.ts";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import { planQueries } from "../../../src/core/db/archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { sql, verbatim } from "../../../src/core/db/schema/sql/sql.ts";
import { DERIVED_BY, REPORTED_BY_NODE } from "../../../src/core/db/schema/tables/derived.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { sized } from "../../run-size.ts";
import { law } from "../../support/property/law.ts";
import { addressOf, NOON, noAnswer, pinAt, recordOf } from "../../support/store/temporary-store.ts";

const accounts = [0x1, 0x10, 0xabcd];
const versions = [10n, 20n, 30n, 40n];
const RUNS = sized({ sqlite: 25, postgresql: 4 }, { sqlite: 150, postgresql: 15 });

const take = { name: "take", visibility: "public", params: ["&signer", "u64"] };
const give = { name: "give", visibility: "private", params: ["u64"], returns: ["vector<u8>", "u64"] };
const pool = { name: "Pool", abilities: ["key"], fields: [["coins", "vector<0x1::coin::Coin<u64>>"]] };
/** Modules that have functions in common, and two whose bytes alone differ. */
const kinds = {
  plain: { version: 7, functions: [take] },
  older: { version: 6, functions: [take] },
  giving: { version: 7, functions: [take, give] },
  holding: { version: 7, structs: [pool], functions: [take] },
};
const kind = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]));

const shown = fc.record({
  modules: fc.dictionary(fc.constantFrom("a", "b"), kind, { maxKeys: 2 }),
  part: fc.nat(1),
  isMissed: fc.boolean(),
});
const history = fc.array(fc.tuple(...accounts.map(() => fc.option(shown, { freq: 5 }))), { minLength: 1, maxLength: versions.length });
/** Which piece is sealed next, whether rows come with the bytes, and what is done behind it. */
const step = fc.record({ pick: fc.nat(), derives: fc.boolean(), after: fc.constantFrom("nothing", "derive", "derive", "forget") });
const steps = fc.array(step, { minLength: 2 * versions.length, maxLength: 2 * versions.length });

const moduleAt = (account: number, name: string, of: keyof typeof kinds) => {
  const code = writeModule({ ...kinds[of], address: addressOf(account), name } as ModuleSpec);
  return { name, sha256: sha256(code), content: { code, bytecodeVersion: kinds[of].version } };
};

const abiOf = (of: keyof typeof kinds) => decodeModule(moduleAt(0x1, "b", of).content.code).abi;

type Piece = {
  readonly row: typeof history extends fc.Arbitrary<(infer R)[]> ? R : never;
  readonly version: bigint;
  readonly part: number;
};

/** Reads the accounts of one of the two parts of a snapshot; the first part asks the others in vain where they say so. */
async function seal(engine: Engine, { row, version, part }: Piece, derives: boolean): Promise<void> {
  const content = bytecodeQueries(engine, { derives });
  const seen = row.flatMap((one, i) => (one === null ? [] : [{ ...one, account: accounts[i] as number }]));
  const of = seen.filter((one) => one.part === part);
  const missed = part === 0 && of.length > 0 ? seen.filter((one) => one.part === 1 && one.isMissed) : [];
  const addresses = [...of, ...missed].map(({ account }) => addressOf(account));
  if (part === 0) await snapshotQueries(engine).createSnapshot(pinAt(version), addresses);
  else if ((await planQueries(engine).extendSnapshot(version, addresses)) === 0) return;
  const visits = of.map(({ account, modules }) => ({
    address: addressOf(account),
    account: recordOf(1n),
    modules: Object.entries(modules).map(([name, one]) => moduleAt(account, name, one)),
  }));
  if (visits.length > 0) await visitQueries(engine, content).commitVisits(version, visits);
  await gapQueries(engine).commitRest(version, noAnswer, NOON);
  await sealQueries(engine).seal(version, { now: NOON });
}

const lists = { params: "function_params_latest", returns: "function_returns_latest", fields: "fields_latest" };
const both = (one: string, other: string) => `SELECT * FROM (${one} EXCEPT ${other}) a UNION ALL SELECT * FROM (${other} EXCEPT ${one}) b`;
const struct = "used_address, used_module, used_struct";
const wrong = [
  ...Object.entries(lists).map(([column, view]) =>
    both(`SELECT type, ${column} FROM type_counts_latest WHERE ${column} <> 0`, `SELECT type, count(1) FROM ${view} GROUP BY type`),
  ),
  both(`SELECT ${struct}, uses FROM struct_counts_latest`, `SELECT ${struct}, count(1) FROM type_uses_latest GROUP BY ${struct}`),
].map((text) => verbatim(text));
const kept = sql`SELECT 1 FROM type_counts_latest LIMIT 1`;
const standing = sql`SELECT 1 FROM function_params_latest LIMIT 1`;

/** That all is counted that stands, and nothing else. */
async function expectCounted(engine: Engine): Promise<void> {
  for (const question of wrong) expect(await engine.all(question)).toEqual([]);
  for await (const damage of countCheck(engine, { part: 0, of: 1 }).steps()) expect(damage).toEqual([]);
}

eachArchive("counts of types", (open, name) => {
  law(
    "are from the first seal on of what stands, in whatever order snapshots are sealed and rows come",
    RUNS[name],
    [history, steps],
    async (rows, how) => {
      await using at = await open();
      const { engine } = at;
      const { derive, underived } = derivationQueries(engine);
      const rest: Piece[] = rows.map((row, i) => ({ row, version: versions[i] as bigint, part: 0 }));
      for (const { pick, derives, after } of how) {
        const [piece] = rest.splice(pick % Math.max(1, rest.length), 1);
        if (piece === undefined) break;
        await seal(engine, piece, derives);
        if (piece.part === 0) rest.push({ ...piece, part: 1 });
        // Without all rows there may be nothing to count.
        if ((await underived()) === 0 || (await engine.first(kept)) !== undefined) await expectCounted(engine);
        if (after === "forget") await engine.transaction(forgetRows);
        if (after === "derive") {
          await derive();
          expect(await engine.first(kept)).toEqual(await engine.first(standing));
          await expectCounted(engine);
        }
      }
    },
  );

  test("are the same where two processes ask nodes of the same bytes, whatever the later one is told", async () => {
    for (const later of ["giving", "holding", undefined] as const) {
      await using at = await open();
      const { engine } = at;
      const { derive } = derivationQueries(engine);
      const { code } = moduleAt(0x1, "a", "giving").content;
      // No movedex reads this version of bytecode.
      const unknown = Buffer.from(code).fill(0xff, 4, 5);
      const modules = [
        moduleAt(0x1, "a", "giving"),
        { name: "b", sha256: sha256(unknown), content: { code: unknown, bytecodeVersion: null } },
      ];
      await snapshotQueries(engine).createSnapshot(pinAt(10n), [addressOf(0x1)]);
      await visitQueries(engine, bytecodeQueries(engine)).commitVisits(10n, [{ address: addressOf(0x1), account: recordOf(1n), modules }]);
      await sealQueries(engine).seal(10n, { now: NOON });
      await fillCounts(engine);
      await derive({
        askNodeAbi: () => derive({ askNodeAbi: async () => abiOf("giving") }).then(() => (later ? abiOf(later) : undefined)),
      });
      expect(await engine.all(sql`SELECT derived_by, error_code FROM _bytecodes ORDER BY id`)).toEqual([
        [DERIVED_BY, null],
        [REPORTED_BY_NODE, null],
      ]);
      await expectCounted(engine);
    }
  });
});
