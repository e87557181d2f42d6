import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import type { ObservedModule } from "../../../src/core/db/archive/content/observed-module.ts";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { rowsOf, valuesOf } from "../../support/store/ask-file.ts";
import { addressOf, NOON, night, noAnswer, opaqueModule, pinAt, recordOf, temporaryStore } from "../../support/store/temporary-store.ts";

const one = addressOf(1);
const visitOf = (text: string) => ({ address: one, account: recordOf(1n), modules: [opaqueModule("coin", text)] });
const miss = { ...noAnswer, attempts: 2 };

describe("commitVisits", () => {
  test("done again replaces what was taken down, and a miss before it", async () => {
    await using at = await temporaryStore();
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [one]);
    await gapQueries(at.engine).commitGap(10n, { address: one, ...miss }, NOON);
    await visitQueries(at.engine).commitVisits(10n, [visitOf("a")]);
    await visitQueries(at.engine).commitVisits(10n, [{ ...visitOf("b"), modules: [opaqueModule("other", "b")] }]);
    expect(await sealQueries(at.engine).seal(10n, { now: NOON })).toMatchObject({ status: "sealed", modules: 1, gaps: 0 });
    expect(rowsOf(at.path, "SELECT module FROM modules_at")).toEqual([{ module: "other" }]);
  });

  test("several at once are all stored, or none when one is refused", async () => {
    await using at = await temporaryStore();
    const two = addressOf(2);
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [one, two]);
    await expect(() =>
      visitQueries(at.engine).commitVisits(10n, [visitOf("a"), { ...visitOf("a"), address: addressOf(3) }]),
    ).rejects.toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_VISIT" }));
    expect(rowsOf(at.path, "SELECT DISTINCT state FROM _visits")).toEqual([{ state: "planned" }]);
    expect(rowsOf(at.path, "SELECT 1 FROM _bytecodes")).toEqual([]);
    // What a rolled-back visit had put in is not remembered as stored.
    const results = await visitQueries(at.engine).commitVisits(10n, [visitOf("a"), { ...visitOf("a"), address: two }]);
    expect(results.map(({ newBytecodes }) => newBytecodes)).toEqual([1, 0]);
    expect(await sealQueries(at.engine).seal(10n, { now: NOON })).toMatchObject({ status: "sealed", accounts: 2, gaps: 0 });
  });

  const [coin, no] = [opaqueModule("coin", "a"), new Uint8Array(32)];
  const visiting =
    (...modules: readonly ObservedModule[]) =>
    (engine: Engine) =>
      visitQueries(engine).commitVisits(10n, [{ address: one, account: null, modules }]);
  const refusals: readonly (readonly [what: string, act: (engine: Engine) => Promise<unknown>, code: string])[] = [
    ["a snapshot that is not there", (engine) => visitQueries(engine).commitVisits(11n, [visitOf("a")]), "PIN"],
    ["bytecode that is neither stored nor given", visiting({ name: "coin", sha256: no }), "VISIT"],
    ["bytes of another SHA-256", visiting({ ...coin, sha256: no }), "VISIT"],
    ["a module twice", visiting(coin, opaqueModule("coin", "b")), "VISIT"],
    ["a name with a line break", visiting(opaqueModule("co\nin", "a")), "VISIT"],
    ["a pin on another chain", (engine) => snapshotQueries(engine).createSnapshot({ ...pinAt(11n), chainId: 5 }, [one]), "CHAIN"],
    ["a ledger version that SQLite cannot hold", (engine) => snapshotQueries(engine).createSnapshot(pinAt(2n ** 63n), [one]), "VERSION"],
    ["sealing with accounts left to visit", (engine) => sealQueries(engine).seal(10n, { now: NOON }), "PIN"],
  ];
  test.each(refusals)("refuses %s, and nothing is written", async (_, act, code) => {
    await using at = await temporaryStore();
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [one]);
    const counts = "SELECT (SELECT count(*) FROM _bytecodes) AS b, (SELECT count(*) FROM _all_snapshots) AS p";
    const before = rowsOf(at.path, counts);
    await expect(() => act(at.engine)).rejects.toThrow(expect.objectContaining({ code: `MOVEDEX_STORE_${code}` }));
    expect(rowsOf(at.path, counts)).toEqual(before);
    expect(await snapshotQueries(at.engine).progress(10n)).toEqual({ planned: 1, visited: 0, missed: 0 });
  });
});

test("the digest is that of the lines anyone can make from modules_at", async () => {
  await using at = await temporaryStore();
  const { digest } = await night(at.engine, 10n, [
    [addressOf(0xabcd), { sequence: 1n, modules: { b: "2", a: "1", B: "3" } }],
    [addressOf(0x10), { sequence: 1n, modules: { z: "1" } }],
  ]);
  const lines = "SELECT address_long || '::' || module || ' ' || bytecode_sha256 || char(10) FROM modules_at ORDER BY address_long, module";
  expect(digest).toBe(sha256Hex(valuesOf(at.path, lines).join("")));
});
