import fc from "fast-check";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/module-writer/module-writer.ts";
import { exchangeModules } from "../../../sim/sample/exchange.ts";
import { frameworkModules } from "../../../sim/sample/framework.ts";
import { badgeModules } from "../../../sim/sample/index.ts";
import { type SearchOptions, searchQueries } from "../../../src/capabilities/search/search.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import type { ObservedModule } from "../../../src/core/db/archive/content/observed-module.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { parseAddress } from "../../../src/core/move/address.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { changeFile, listsOf, NOON, night, temporaryStore } from "../../support/index.ts";
import { holdsFor } from "../../support/property/law.ts";

const everything: SearchOptions = { kinds: [], withGone: false, limit: 50 };

const account = (text: string) => parseAddress(text) ?? expect.fail(text);

function observed(spec: ModuleSpec): ObservedModule {
  const code = writeModule(spec);
  const { bytecodeVersion } = decodeModule(code);
  return { name: spec.name, sha256: sha256(code), content: { code, bytecodeVersion } };
}

/** Bytes that begin as a module does and are none. */
function unreadable(name: string): ObservedModule {
  const code = Buffer.from("a11ceb0b060000ff", "hex");
  return { name, sha256: sha256(code), content: { code, bytecodeVersion: null } };
}

async function sealNight(engine: Engine, version: bigint, specs: readonly ModuleSpec[], unread: readonly string[] = []): Promise<void> {
  const seen = [...Map.groupBy(specs, ({ address }) => account(address))].map(([address, own]) => {
    const modules = own.map((spec) => (unread.includes(spec.name) ? unreadable(spec.name) : observed(spec)));
    return [address, { sequence: 1n, modules }] as const;
  });
  await night(engine, version, seen);
  await derivationQueries(engine).derive();
}

/** Two nights of the sample: in the second the pool is upgraded, orders come, badges gain a variant. */
async function twoNights(engine: Engine): Promise<void> {
  await sealNight(engine, 10n, [...frameworkModules, ...exchangeModules.atFirst, ...badgeModules({ withSeasonal: false })]);
  const second = exchangeModules.atFirst.map((spec) => (spec.name === "pool" ? exchangeModules.upgradedPool : spec));
  await sealNight(engine, 20n, [...frameworkModules, ...second, exchangeModules.newModule, ...badgeModules({ withSeasonal: true })]);
}

describe("search", async () => {
  const at = await temporaryStore();
  afterAll(() => at[Symbol.asyncDispose]());
  await twoNights(at.engine);
  const found = async (words: string, options: Partial<SearchOptions> = {}) =>
    (await searchQueries(at.engine).search(words, { ...everything, ...options })).hits.map(
      ({ kind, module, name }) => `${kind} ${module}::${name}`,
    );

  test("puts the ledger's own accounts before others, whatever kind it is, and what begins as was typed before what holds it", async () => {
    const { hits } = await searchQueries(at.engine).search("c", everything);
    const begins = hits.map(({ name }) => name.toLowerCase().startsWith("c"));
    expect(begins).toEqual(begins.toSorted((a, b) => Number(b) - Number(a)));
    const own = hits.filter((_, i) => begins[i]).map(({ address }) => /^0x[0-9a-f]$/.test(address));
    expect(new Set(own).size).toBe(2);
    expect(own).toEqual(own.toSorted((a, b) => Number(b) - Number(a)));
  });

  test("gives of few the same first ones as of many: what cannot be among them is not read", async () => {
    const words = new Set<string>();
    for (const { name: module, functions = [] } of [...frameworkModules, ...badgeModules({ withSeasonal: true })]) {
      for (const name of [module, ...functions.map((one) => one.name)])
        for (const word of [name, name.slice(0, 3), name.replaceAll("_", " "), name.slice(0, 1)]) words.add(word);
      // Words that a name shares with its module's, too.
      for (const one of functions) words.add(`${one.name.split("_")[0]} ${module.slice(0, 3)}`);
    }
    for (const word of words) {
      const { hits: all } = await searchQueries(at.engine).search(word, { ...everything, limit: 500 });
      for (const limit of [0, 1, 3])
        expect([word, (await searchQueries(at.engine).search(word, { ...everything, limit })).hits]).toEqual([word, all.slice(0, limit)]);
    }
  });

  test("finds what cannot be read by the name that it is listed under, and no module that others only mention", async () => {
    await using other = await temporaryStore();
    // The exchange uses 0x1::coin, which has no interface here.
    await sealNight(other.engine, 10n, [...frameworkModules, ...exchangeModules.atFirst], ["coin"]);
    const modules = async (words: string) => (await searchQueries(other.engine).search(words, { ...everything, kinds: ["module"] })).hits;
    expect(await modules("coin")).toMatchObject([{ address: "0x1", module: "coin", firstVersion: 10n, lastVersion: null }]);
    await using mentioned = await temporaryStore();
    await sealNight(mentioned.engine, 10n, exchangeModules.atFirst);
    expect((await searchQueries(mentioned.engine).search("coin", { ...everything, kinds: ["module"] })).hits).toEqual([]);
  });

  test("says when there is so much that not all of it was looked at", async () => {
    const { engine, close } = await databaseAt(at.path).open({ mode: "read" });
    onTestFinished(close);
    const few = searchQueries(engine, 3);
    const one = { ...everything, limit: 1 };
    expect(await few.search("spot", { ...one, withGone: true })).toMatchObject({ hits: [{ name: "spot_price" }], isCut: false });
    expect(await few.search("e", one)).toMatchObject({ hits: [{}], hasMore: true, isCut: false });
    // One place is looked at, and what was there is gone.
    expect(await searchQueries(engine, 1).search("spot", { ...one, limit: 0 })).toMatchObject({ hits: [], hasMore: false, isCut: true });
    // A name as it is typed is found all the same, and so is one in a module that is named with it.
    for (const typed of ["transfer", "coin transfer", "coin::transfer", "object core"])
      expect([typed, (await few.search(typed, one)).hits]).toEqual([typed, (await searchQueries(at.engine).search(typed, one)).hits]);
  });

  test("takes any text for words, never for commands", async () => {
    const commands = ['"', "'; DROP TABLE _search_words; --", "NEAR(a b)", "words_1:coin", "* ^ + - ( )", "coin*", "AND OR NOT"];
    for (const text of [...commands, "\0", "\u{10ffff}"]) await searchQueries(at.engine).search(text, everything);
    expect(await found("coin*")).toEqual(await found("coin"));
    expect(await found(`coin${" x".repeat(20_000)}`)).toEqual([]);
    await holdsFor(30, [fc.string({ unit: "binary" })], async (text) => {
      await searchQueries(at.engine).search(text, everything);
    });
  });
});

test("the index of words is made where a migration left it empty", async () => {
  await using at = await temporaryStore();
  await twoNights(at.engine);
  const before = await searchQueries(at.engine).search("e", everything);
  await at.close();
  const words = listsOf(at.path, "SELECT * FROM _search_words ORDER BY 1, 2");
  changeFile(at.path, "DELETE FROM _search_words");
  await using again = await openStore(at.path, { mode: "write", now: () => NOON });
  expect(await searchQueries(again.engine).search("e", everything)).toEqual(before);
  expect(listsOf(at.path, "SELECT * FROM _search_words ORDER BY 1, 2")).toEqual(words);
});
