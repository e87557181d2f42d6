import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/base/sha256.ts";
import type { Address } from "../../../src/move/address.ts";
import { rowsOf } from "../../support/store/ask-file.ts";
import { addressOf, night, type Seen, type SeenAccount, temporaryStore } from "../../support/store/temporary-store.ts";

const accounts = [addressOf(1), addressOf(0x10), addressOf(0xabcd)];
const seenBy = (...rows: (readonly [Address | undefined, SeenAccount])[]): Seen => new Map(rows as [Address, SeenAccount][]);

// The order of sealing is in order.test.ts.
describe("seal", () => {
  test("a gap never deletes", async () => {
    await using at = await temporaryStore();
    const full = seenBy([accounts[0], { sequence: 1n, modules: { coin: "a" } }]);
    await night(at.store, 10n, full);
    const result = await night(at.store, 20n, seenBy([accounts[0], "missed"], [accounts[1], { sequence: 0n, modules: {} }]));
    expect(result).toMatchObject({ status: "sealed_with_gaps", accounts: 1, gaps: 1, changedModules: 0 });
    await night(at.store, 30n, full);
    expect(
      rowsOf(at.path, "SELECT modules, from_version, to_version FROM _listing_spans JOIN _listings ON id = listing_id WHERE modules > 0"),
    ).toEqual([{ modules: 1, from_version: 10, to_version: null }]);
    expect(rowsOf(at.path, "SELECT ledger_version FROM modules_at ORDER BY 1")).toEqual([{ ledger_version: 10 }, { ledger_version: 30 }]);
    expect(rowsOf(at.path, "SELECT * FROM module_changes")).toEqual([]);
  });

  test("a quiet visit before a snapshot that misses the account is covered too", async () => {
    await using at = await temporaryStore();
    const quiet: SeenAccount = { sequence: 1n, modules: { coin: "a" } };
    await night(at.store, 0n, seenBy([accounts[0], quiet]));
    await night(at.store, 20n, seenBy([accounts[1], quiet]));
    await night(at.store, 10n, seenBy([accounts[0], quiet]));
    expect(
      rowsOf(at.path, "SELECT from_version, to_version FROM _coverage JOIN _addresses ON id = address_id WHERE address = '0x1'"),
    ).toEqual([{ from_version: 0, to_version: 10 }]);
  });

  test("a snapshot that nobody answered is abandoned, and may be begun again", async () => {
    await using at = await temporaryStore();
    const address = accounts[0] as Address;
    const result = await night(at.store, 10n, seenBy([address, "missed"]));
    expect(result).toEqual({ status: "abandoned", digest: sha256Hex(""), accounts: 0, modules: 0, changedModules: 0, gaps: 1 });
    expect(await at.store.sealOf(10n)).toEqual(result);
    expect(rowsOf(at.path, "SELECT status, sealed_at, digest, gaps FROM _pins")).toEqual([
      { status: "abandoned", sealed_at: null, digest: null, gaps: 1 },
    ]);
    expect(rowsOf(at.path, "SELECT ledger_version, status, reason FROM gaps")).toEqual([
      { ledger_version: 10, status: "abandoned", reason: "gone" },
    ]);
    expect((await night(at.store, 10n, seenBy([address, { sequence: 1n, modules: {} }]))).status).toBe("sealed");
    expect(rowsOf(at.path, "SELECT * FROM gaps")).toEqual([]);
  });

  test("the digest is that of the lines anyone can make from modules_at", async () => {
    await using at = await temporaryStore();
    const result = await night(
      at.store,
      10n,
      seenBy([accounts[2], { sequence: 1n, modules: { b: "2", a: "1", B: "3" } }], [accounts[1], { sequence: 1n, modules: { z: "1" } }]),
    );
    const lines = rowsOf(
      at.path,
      "SELECT address_long || '::' || module || ' ' || bytecode_sha256 AS line FROM modules_at ORDER BY address_long, module",
    );
    expect(result.digest).toBe(sha256Hex(lines.map((row) => `${(row as { line: string }).line}\n`).join("")));
  });
});
