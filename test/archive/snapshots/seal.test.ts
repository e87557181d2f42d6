import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/base/sha256.ts";
import type { Address } from "../../../src/move/address.ts";
import { sized } from "../../run-size.ts";
import { addressOf, night, rowsOf, type Seen, type SeenAccount, temporaryStore } from "../../support/store/temporary-store.ts";

const spans = [
  "SELECT a.address, c.from_version, c.to_version FROM _coverage c JOIN _addresses a ON a.id = c.address_id ORDER BY 1, 2",
  "SELECT a.address, s.from_version, s.to_version, s.sequence_number FROM _account_spans s JOIN _addresses a ON a.id = s.address_id ORDER BY 1, 2",
  "SELECT a.address, s.from_version, s.to_version, hex(l.digest) FROM _listing_spans s JOIN _addresses a ON a.id = s.address_id JOIN _listings l ON l.id = s.listing_id ORDER BY 1, 2",
  "SELECT ledger_version, status, accounts, modules, gaps, hex(digest) FROM _pins ORDER BY 1",
  "SELECT * FROM _visits",
];

const accounts = [addressOf(1), addressOf(0x10), addressOf(0xabcd)];
const content = fc.record({
  sequence: fc.constantFrom(null, 0n, 1n),
  modules: fc.dictionary(fc.constantFrom("coin", "math"), fc.constantFrom("a", "b"), { noNullPrototype: true }),
});
const seen: fc.Arbitrary<Seen> = fc
  .array(fc.option(fc.oneof({ weight: 4, arbitrary: content }, { weight: 1, arbitrary: fc.constant("missed" as const) })), {
    minLength: 3,
    maxLength: 3,
  })
  .map((list) => new Map(list.flatMap((item, index) => (item === null ? [] : [[accounts[index] as Address, item] as const]))));

const seenBy = (...rows: (readonly [Address | undefined, SeenAccount])[]): Seen => new Map(rows as [Address, SeenAccount][]);
const standing = (path: string) => spans.map((sql) => rowsOf(path, sql));

describe("seal", () => {
  test("any order of sealing gives the same content, and each snapshot shows what was seen", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(seen, { minLength: 1, maxLength: 5 }), fc.infiniteStream(fc.nat()), async (nights, picks) => {
        await using straight = await temporaryStore();
        await using shuffled = await temporaryStore();
        for (const [index, one] of nights.entries()) await night(straight.store, BigInt(index) * 10n, one);
        const rest = [...nights.entries()];
        while (rest.length > 0) {
          const [index, one] = rest.splice((picks.next().value as number) % rest.length, 1)[0] as [number, Seen];
          await night(shuffled.store, BigInt(index) * 10n, one);
        }
        expect(standing(shuffled.path)).toEqual(standing(straight.path));
        expect(shownBy(shuffled.path)).toEqual(expected(nights));
      }),
      { numRuns: sized(6, 20) },
    );
  });

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
    expect((await night(at.store, 10n, seenBy([address, "missed"]))).status).toBe("abandoned");
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

/** The views' rows as the observations say they have to be. */
function expected(nights: readonly Seen[]) {
  const modules: unknown[] = [];
  const records: unknown[] = [];
  for (const [index, one] of nights.entries()) {
    for (const [address, item] of one) {
      if (item === "missed") continue;
      if (item.sequence !== null) records.push([index * 10, address, Number(item.sequence)]);
      for (const [name, text] of Object.entries(item.modules).sort()) modules.push([index * 10, address, name, sha256Hex(text)]);
    }
  }
  return { modules, records };
}

function shownBy(path: string) {
  const values = (sql: string) => rowsOf(path, sql).map((row) => Object.values(row as object));
  return {
    modules: values("SELECT ledger_version, address, module, bytecode_sha256 FROM modules_at ORDER BY 1, address_long, 3"),
    records: values("SELECT ledger_version, address, sequence_number FROM accounts_at ORDER BY 1, address_long"),
  };
}
