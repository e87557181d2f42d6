import { expect, test } from "vitest";
import { sql } from "../../../src/schema/sql/sql.ts";
import { derivedTables } from "../../../src/schema/tables/derived.ts";
import { openServer } from "../../../src/store/connection/open-server.ts";
import { keptWords, serverWordIndex } from "../../../src/store/content/words/search-index-server.ts";
import { serverWordCheck } from "../../../src/store/verify/words-server.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";

const LONGEST = 2_046;

test("a server keeps words of up to 2,046 bytes, and a megabyte of them", () => {
  const [long, longer] = ["é".repeat(LONGEST / 2), "é".repeat(LONGEST / 2 + 1)];
  expect(keptWords(`a ${long} ${longer} b`)).toBe(`a ${long} b`);
  const words = Array.from({ length: 1_000 }, (_, i) => `${i}`.padStart(2_000, "x"));
  expect(keptWords(words.join(" "))).toBe(words.slice(0, 500).join(" "));
});

eachPostgres("the index of words on a server", (open) => {
  test("holds words of any letters, leaves out what is too long, and verify finds nothing in it", async () => {
    const { engine, close } = await openServer((await open()).url(), { mode: "write", now: () => 0 });
    const errors = JSON.stringify([
      ["1", "EODD_NAME", `größe ｗｉｄｅ ㅤ 字 it's \\ 'quoted':1 ${"x".repeat(LONGEST)} ${"y".repeat(LONGEST + 1)}`],
    ]);
    const abi = [7, 1, Uint8Array.of(1), 7, errors];
    const index = serverWordIndex();
    await engine.transaction(async (tx) => {
      await tx.bulk(derivedTables.abis, [abi]);
      await index.add(tx, [], { functions: [], structs: [], abis: [abi] }, index.unseen([]));
    });
    const stored = sql`SELECT unnest(tsvector_to_array(words)) FROM _search_index`;
    const words = (await engine.all<[string]>(stored)).map(([word]) => word);
    const expected = ["1", "eodd", "it", "name", "odd", "quoted", "s", "x".repeat(LONGEST), "größe", "ㅤ", "字", "ｗｉｄｅ"];
    expect(words.sort()).toEqual(expected.sort());
    expect(await engine.all(index.hits("error"), { match: index.anyOf(["größe"]) })).toEqual([[expect.any(Number), 7]]);
    expect((await Array.fromAsync(serverWordCheck(engine, { part: 0, of: 1 }).steps())).flat()).toEqual([]);
    await close();
  });
});
