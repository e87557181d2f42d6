import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { decodeModule } from "../../../src/abi/decode.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import { parseAddress } from "../../../src/move/address.ts";
import { type ModuleSpec, writeModule } from "../../../src/sim/module-writer/module-writer.ts";
import { badgeModules } from "../../../src/sim/sample/badges.ts";
import { exchangeModules } from "../../../src/sim/sample/exchange.ts";
import { frameworkModules } from "../../../src/sim/sample/framework.ts";
import type { SearchOptions } from "../../../src/store/read/search.ts";
import { type ObservedModule, openStore, type Store } from "../../../src/store/store.ts";
import { NOON, recordOf, temporaryStore } from "../support/temporary-store.ts";

const everything: SearchOptions = { kinds: [], withGone: false, limit: 50 };

function observed(spec: ModuleSpec): ObservedModule {
  const code = writeModule(spec);
  const { abi, bytecodeVersion } = decodeModule(code);
  return { name: spec.name, sha256: sha256(code), content: { code, bytecodeVersion, decoded: { abi, decoder: "movedex" } } };
}

function sealNight(store: Store, ledgerVersion: bigint, specs: readonly ModuleSpec[]): void {
  const byAddress = Map.groupBy(specs, ({ address }) => parseAddress(address) ?? expect.fail(address));
  store.createPin(
    { chainId: 4, ledgerVersion, headVersion: ledgerVersion, oldestVersion: 0n, headTimestampUsec: 0n, now: NOON },
    byAddress.keys(),
  );
  for (const [address, modules] of byAddress) {
    store.commitVisit(ledgerVersion, { address, account: recordOf(1n), modules: modules.map(observed) });
  }
  store.seal(ledgerVersion, { now: NOON });
}

/** Two nights of the sample: in the second the pool is upgraded, orders come, badges gain a variant. */
function twoNights(store: Store): void {
  sealNight(store, 10n, [...frameworkModules, ...exchangeModules.atFirst, ...badgeModules({ withSeasonal: false })]);
  const second = exchangeModules.atFirst.map((spec) => (spec.name === "pool" ? exchangeModules.upgradedPool : spec));
  sealNight(store, 20n, [...frameworkModules, ...second, exchangeModules.newModule, ...badgeModules({ withSeasonal: true })]);
}

describe("search", () => {
  const at = temporaryStore();
  afterAll(() => at[Symbol.dispose]());
  twoNights(at.store);
  const found = (words: string, options: Partial<SearchOptions> = {}) =>
    at.store.search(words, { ...everything, ...options }).hits.map(({ kind, module, name }) => `${kind} ${module}::${name}`);

  test("finds a name that was typed before names that hold it", () => {
    expect(found("coin").slice(0, 2)).toEqual(["module coin::coin", "struct coin::Coin"]);
    expect(found("transfer")).toEqual(["function coin::transfer", "function object::transfer", "struct object::ObjectCore"]);
    expect(found("coin transfer")).toEqual(["function coin::transfer"]);
  });

  test("finds parts of names in camel case, beginnings of words, fields, variants and constants without their E", () => {
    expect(found("capability mint")).toEqual(["struct coin::MintCapability"]);
    expect(found("mintcap")).toEqual(["struct coin::MintCapability"]);
    expect(found("fee per mille")).toEqual(["struct pool::Pool"]);
    expect(found("seasonal")).toEqual(["struct badge::Rank"]);
    expect(found("not owner")).toEqual(["error object::ENOT_OWNER"]);
  });

  test("finds words of an error's text, in whatever order", () => {
    const { hits } = at.store.search("pool coins already", everything);
    expect(hits).toEqual([
      {
        kind: "error",
        address: expect.stringMatching(/^0x8f3c/),
        module: "pool",
        name: "EPOOL_EXISTS",
        code: "1",
        text: "These two coins have a pool already",
        firstVersion: 10n,
        lastVersion: null,
      },
    ]);
  });

  test("leaves out what no longer stands unless it is asked for", () => {
    expect(found("spot price")).toEqual([]);
    expect(at.store.search("spot price", { ...everything, withGone: true }).hits).toMatchObject([
      { name: "spot_price", firstVersion: 10n, lastVersion: 10n },
    ]);
    expect(at.store.search("quote", everything).hits).toMatchObject([{ name: "quote", firstVersion: 20n, lastVersion: null }]);
    expect(at.store.search("rank", { ...everything, kinds: ["struct"] }).hits[0]).toMatchObject({
      name: "Rank",
      firstVersion: 10n,
      lastVersion: null,
      text: "number, season, Common, Rare, Seasonal",
    });
  });

  test("narrows to kinds and to an account, given or typed", () => {
    expect(found("pool", { kinds: ["error"] })).toEqual(["error pool::ENO_POOL", "error pool::EPOOL_EXISTS"]);
    expect(found("transfer", { address: parseAddress("0x8f") ?? expect.fail() })).toEqual([]);
    expect(found("0x1::object::transfer")).toEqual(["function object::transfer", "struct object::ObjectCore"]);
    expect(found("0x0001::signer")).toContain("module signer::signer");
  });

  test("says when there is more than the limit", () => {
    const all = at.store.search("e", everything);
    const cut = at.store.search("e", { ...everything, limit: 3 });
    expect([all.hasMore, cut.hasMore, cut.hits]).toEqual([false, true, all.hits.slice(0, 3)]);
  });

  test("takes any text for words, never for commands", () => {
    const hostile = [
      '"',
      "'; DROP TABLE search_index; --",
      "NEAR(a b)",
      "words_1:coin",
      "* ^ + - ( )",
      "coin*",
      "\0",
      "\u{10ffff}",
      "AND OR NOT",
    ];
    for (const text of hostile) expect(() => at.store.search(text, everything)).not.toThrow();
    expect(found("coin*")).toEqual(found("coin"));
    expect(found(`coin${" x".repeat(20_000)}`)).toEqual([]);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        at.store.search(text, everything);
      }),
      { numRuns: 30 },
    );
  });
});

describe("the index of words", () => {
  test("is made for a database that has none, as if it had been there from the start", () => {
    using at = temporaryStore();
    twoNights(at.store);
    const before = at.store.search("e", everything);
    at.store.close();
    const database = new Database(at.path);
    database.exec("DROP TABLE search_index");
    database.close();
    const reader = openStore(at.path, { mode: "read", now: () => NOON });
    expect(() => reader.search("coin", everything)).toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_OLDER" }));
    reader.close();
    const again = openStore(at.path, { mode: "write", now: () => NOON });
    expect(again.search("e", everything)).toEqual(before);
    again.close();
  });

  test("passes SQLite's own check", () => {
    using at = temporaryStore();
    twoNights(at.store);
    at.store.close();
    const database = new Database(at.path);
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    database.close();
  });
});
