import { expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { derivedDamage } from "../../../src/capabilities/verify/bytecodes.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { bytecodeQueries } from "../../../src/core/db/archive/content/bytecodes.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { DERIVED_BY, secondaryIndexes } from "../../../src/core/db/schema/tables/derived.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { addressOf, NOON, opaqueModule, pinAt, recordOf } from "../../support/store/temporary-store.ts";

const account = recordOf(1n);
const codeOf = (account: number, name: string, functions: readonly string[]): Uint8Array =>
  writeModule({
    version: 7,
    address: addressOf(account),
    name,
    structs: [{ name: "Pool", abilities: ["key"], fields: [["coins", "vector<0x1::coin::Coin<u64>>"]] }],
    functions: functions.map((item) => ({ name: item, visibility: "public", params: ["&signer", "u64"] })),
    errors: [{ code: 1n, name: "EPOOR", description: "Not enough coins" }],
  });
const moduleOf = (name: string, code: Uint8Array) => ({ name, sha256: sha256(code), content: { code, bytecodeVersion: 7 } });
const visitOf = (number: number, ...functions: readonly string[]) => ({
  address: addressOf(number),
  account,
  modules: ["a", "b"].map((name) => moduleOf(name, codeOf(number, name, functions))),
});

/** Stores visits at a version and seals it. */
async function readAll(
  engine: Engine,
  version: bigint,
  { commitVisits }: ReturnType<typeof visitQueries>,
  visits: Parameters<typeof commitVisits>[1],
) {
  const addresses = visits.map(({ address }) => address);
  await snapshotQueries(engine).createSnapshot(pinAt(version), addresses);
  await commitVisits(version, visits);
  return sealQueries(engine).seal(version, { now: NOON });
}

const bytecodes = sql<[number, Uint8Array, string | null]>`SELECT b.id, b.sha256, b.derived_by FROM _bytecodes b ORDER BY b.id`;

/** That the rows of all these bytecodes are those that deriving makes of them. */
async function expectRows(engine: Engine, codes: readonly Uint8Array[]): Promise<void> {
  const byDigest = new Map(codes.map((code) => [Buffer.from(sha256(code)).toString("hex"), code]));
  const stored = await engine.all(bytecodes);
  const sound = stored.map(([id, digest]) => {
    const code = byDigest.get(Buffer.from(digest).toString("hex")) as Uint8Array;
    return { id, sha256: digest, code, bytecodeVersion: 7, nodeAbi: null };
  });
  expect(new Set(stored.map(([, , by]) => by))).toEqual(new Set([DERIVED_BY]));
  expect([...(await derivedDamage(engine, sound)).values()].flat()).toEqual([]);
}

const codesOf = (visits: readonly ReturnType<typeof visitOf>[]) =>
  visits.flatMap(({ modules }) => modules.map(({ content }) => content.code));

eachArchive("a visit's rows", (open) => {
  test("are written with its bytes; bytes that cannot be decoded wait, and hold no seal", async () => {
    await using at = await open();
    const visits = visitQueries(at.engine, bytecodeQueries(at.engine, { derives: true }));
    const { derive, underived } = derivationQueries(at.engine);
    const first = [visitOf(1, "f", "g"), visitOf(2, "f")];
    const upgraded = [visitOf(1, "f", "g", "h"), visitOf(3, "f")];
    await readAll(at.engine, 10n, visits, first);
    await readAll(at.engine, 20n, visits, upgraded);
    expect(await underived()).toBe(0);
    await expectRows(at.engine, [...codesOf(first), ...codesOf(upgraded)]);
    const opaque = { address: addressOf(4), account, modules: [opaqueModule("x", "no module"), ...visitOf(4, "f").modules] };
    expect(await readAll(at.engine, 30n, visits, [opaque])).toMatchObject({ status: "sealed", modules: 3 });
    expect(await underived()).toBe(1);
    expect(await derive()).toEqual({ derived: 1, undecodable: 1 });
  });

  test("are undone with it, and what was remembered of them", async () => {
    await using at = await open();
    const bytes = bytecodeQueries(at.engine, { derives: true });
    let isCut = true;
    const cut: Engine = {
      ...at.engine,
      transaction: (work, options) =>
        at.engine.transaction(async (tx) => {
          const result = await work(tx);
          if (isCut) throw new Error("cut off");
          return result;
        }, options),
    };
    const [one, two] = [visitOf(1, "f"), visitOf(2, "f", "g")];
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [one.address, two.address]);
    const { commitVisits } = visitQueries(cut, bytes);
    await expect(commitVisits(10n, [one, two])).rejects.toThrow("cut off");
    expect(
      await at.engine.first(sql`SELECT (SELECT count(*) FROM _bytecodes), (SELECT count(*) FROM _abis), (SELECT count(*) FROM _types)`),
    ).toEqual([0, 0, 0]);
    isCut = false;
    await commitVisits(10n, [visitOf(2, "f", "g")]);
    const { derive, underived } = derivationQueries(at.engine);
    expect(await underived()).toBe(0);
    // The same modules again, whose rows may have been why: these wait.
    await commitVisits(10n, [one]);
    expect(await underived()).toBe(2);
    await derive();
    await expectRows(at.engine, codesOf([one, two]));
  });

  test("are as whole where they are so many that indexes were taken away, which the run's end makes again", async () => {
    await using at = await open();
    const visits = visitQueries(at.engine, bytecodeQueries(at.engine, { derives: true }));
    const many = Array.from({ length: 360 }, (_, i) => visitOf(i + 1, "f"));
    await snapshotQueries(at.engine).createSnapshot(
      pinAt(10n),
      many.map(({ address }) => address),
    );
    for (let start = 0; start < many.length; start += 120) await visits.commitVisits(10n, many.slice(start, start + 120));
    await sealQueries(at.engine).seal(10n, { now: NOON });
    for (const { name } of secondaryIndexes) await expect(at.engine.run({ in: () => `DROP INDEX ${name}` })).rejects.toThrow();
    expect(await derivationQueries(at.engine).derive()).toEqual({ derived: 0, undecodable: 0 });
    for (const { name } of secondaryIndexes) await at.engine.run({ in: () => `DROP INDEX ${name}` });
    await expectRows(at.engine, codesOf(many));
  });
});
