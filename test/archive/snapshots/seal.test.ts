import { describe, expect, test } from "vitest";
import { sealQueries } from "../../../src/archive/snapshots/seal.ts";
import { sha256Hex } from "../../../src/base/sha256.ts";
import { rowsOf, valuesOf } from "../../support/store/ask-file.ts";
import { addressOf, night, temporaryStore } from "../../support/store/temporary-store.ts";

const [one, two, three] = [addressOf(1), addressOf(0x10), addressOf(0xabcd)];

// The order of sealing is in order.test.ts.
describe("seal", () => {
  test("a gap never deletes", async () => {
    await using at = await temporaryStore();
    const full = [[one, { sequence: 1n, modules: { coin: "a" } }]] as const;
    await night(at.engine, 10n, full);
    const result = await night(at.engine, 20n, [
      [one, "missed"],
      [two, { sequence: 0n, modules: {} }],
    ]);
    expect(result).toMatchObject({ status: "sealed_with_gaps", accounts: 1, gaps: 1, changedModules: 0 });
    await night(at.engine, 30n, full);
    expect(
      rowsOf(at.path, "SELECT modules, from_version, to_version FROM _listing_spans JOIN _listings ON id = listing_id WHERE modules > 0"),
    ).toEqual([{ modules: 1, from_version: 10, to_version: null }]);
    expect(rowsOf(at.path, "SELECT ledger_version FROM modules_at ORDER BY 1")).toEqual([{ ledger_version: 10 }, { ledger_version: 30 }]);
    expect(rowsOf(at.path, "SELECT * FROM module_changes")).toEqual([]);
  });

  test("a snapshot that nobody answered is abandoned, and may be begun again", async () => {
    await using at = await temporaryStore();
    const result = await night(at.engine, 10n, [[one, "missed"]]);
    expect(result).toEqual({ status: "abandoned", digest: sha256Hex(""), accounts: 0, modules: 0, changedModules: 0, gaps: 1 });
    expect(await sealQueries(at.engine).sealOf(10n)).toEqual(result);
    expect(rowsOf(at.path, "SELECT status, sealed_at, digest, gaps FROM _all_snapshots")).toEqual([
      { status: "abandoned", sealed_at: null, digest: null, gaps: 1 },
    ]);
    expect(rowsOf(at.path, "SELECT ledger_version, status, reason FROM gaps")).toEqual([
      { ledger_version: 10, status: "abandoned", reason: "gone" },
    ]);
    expect((await night(at.engine, 10n, [[one, { sequence: 1n, modules: {} }]])).status).toBe("sealed");
    expect(rowsOf(at.path, "SELECT * FROM gaps")).toEqual([]);
  });

  test("the digest is that of the lines anyone can make from modules_at", async () => {
    await using at = await temporaryStore();
    const { digest } = await night(at.engine, 10n, [
      [three, { sequence: 1n, modules: { b: "2", a: "1", B: "3" } }],
      [two, { sequence: 1n, modules: { z: "1" } }],
    ]);
    const lines =
      "SELECT address_long || '::' || module || ' ' || bytecode_sha256 || char(10) FROM modules_at ORDER BY address_long, module";
    expect(digest).toBe(sha256Hex(valuesOf(at.path, lines).join("")));
  });
});
