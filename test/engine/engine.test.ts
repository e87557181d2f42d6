import { expect, test } from "vitest";
import type { Cell } from "../../src/core/base/cell.ts";
import type { Row } from "../../src/core/db/engine/engine.ts";
import { id } from "../../src/core/db/schema/column.ts";
import { later, moment, now } from "../../src/core/db/schema/sql/functions.ts";
import { sql } from "../../src/core/db/schema/sql/sql.ts";
import { eachEngine } from "./support/each-engine.ts";

const things = {
  name: "things",
  columns: { id: { kind: "int" }, version: { kind: "version" }, name: { kind: "text" }, count: { kind: "u64" }, code: { kind: "bytes" } },
} as const;
const extras = {
  name: "extras",
  columns: { id: { kind: "int" }, is_new: { kind: "bool" }, list: { kind: "json" }, at: { kind: "time" } },
} as const;
const numbers = { name: "numbers", columns: { n: { kind: "int" } } } as const;
const allThings = sql`SELECT id, version, name, count, code FROM things ORDER BY id`;
const count = sql`SELECT count(*) FROM numbers`;

function* upTo(last: number): Generator<[number]> {
  for (let n = 1; n <= last; n++) yield [n];
}

eachEngine("an engine", (open) => {
  test("loads any number of rows, each once", async () => {
    await using at = await open();
    const read = sql`SELECT id, is_new FROM extras ORDER BY id`;
    const pairs = { name: "extras", columns: { id: extras.columns.id, is_new: extras.columns.is_new } } as const;
    for (const length of [0, 1, 3, 4, 15, 16, 17, 21, 63, 64, 65, 84, 127, 128, 149, 3_000]) {
      const rows = Array.from({ length }, (_, i) => [i + 1, i % 3 === 0]);
      await at.engine.transaction(async (tx) => {
        await tx.stage(pairs, rows);
        expect(await tx.all(read), `${length} rows`).toEqual(rows.map(([id, isNew]) => [id, Number(isNew)]));
      });
    }
  });

  test("keeps the numbers of rows, whether or not they follow those that are there", async () => {
    await using at = await open();
    await at.engine.run(sql`CREATE TABLE numbered (id integer PRIMARY KEY, place bigint)`);
    const numbered = { name: "numbered", columns: { id, place: { kind: "int" } } } as const;
    const rows = [1, 2, 3, 70, ...Array.from({ length: 100 }, (_, i) => 71 + i), 4, 200, 171, 201, 202].map((id, i) => [id, i]);
    for (const part of [rows.slice(0, 3), rows.slice(3, 60), rows.slice(60)]) await at.engine.transaction((tx) => tx.bulk(numbered, part));
    expect(await at.engine.all(sql`SELECT id, place FROM numbered ORDER BY place`)).toEqual(rows);
  });

  test("hands back what went in, exactly", async () => {
    await using at = await open();
    const rows = [
      [1, 9_007_199_254_740_993n, "a\\\t\n\r'\"%s:x", "18446744073709551615", new Uint8Array([0, 255, 92])],
      [2, 7, "", "0", new Uint8Array()],
      [9_007_199_254_740_991, 9_223_372_036_854_775_807n, "\\N ü 🦀", null, null],
    ];
    const found = await at.engine.transaction(async (tx) => {
      await tx.stage(things, rows);
      return tx.all(allThings);
    });
    expect(found.map((row) => row.map((cell) => (cell instanceof Uint8Array ? new Uint8Array(cell) : cell)))).toEqual(rows);
  });

  test("loads rows whose cells are in one list, bytes as hex digits too", async () => {
    await using at = await open();
    const cells = Array.from({ length: 150 }, (_, id) => [id, id * 2, `name ${id}`, `${id}`, "00ff"]).flat();
    const found = await at.engine.transaction(async (tx) => {
      await tx.stage(things, { cells });
      return tx.all(allThings);
    });
    expect(found).toHaveLength(150);
    expect(found[149]?.map((cell) => (typeof cell === "object" ? Buffer.from(cell as Uint8Array).toString("hex") : cell))).toEqual(
      cells.slice(-5),
    );
  });

  test("knows booleans, JSON and times by their kinds", async () => {
    await using at = await open();
    const noon = Date.UTC(2026, 0, 31, 12, 0, 0, 123);
    await at.engine.transaction(async (tx) => {
      await tx.stage(extras, [
        [1, true, '["a",  1]', noon],
        [2, false, null, -1],
      ]);
      expect(await tx.all(sql`SELECT is_new, list, at FROM extras ORDER BY id`)).toEqual([
        [1, '["a",  1]', noon],
        [0, null, -1],
      ]);
      expect(await tx.first(sql`SELECT id FROM extras WHERE is_new`)).toEqual([1]);
      expect(await tx.first(sql`SELECT id FROM extras WHERE is_new = :old AND at < :noon::time`, { old: false, noon })).toEqual([2]);
      expect(await tx.first(sql`SELECT ${moment("at")}, ${later("at", ":more")} FROM extras WHERE id = 1`, { more: 5000 })).toEqual([
        at.dialect === "sqlite" ? "2026-01-31T12:00:00.123Z" : noon,
        noon + 5000,
      ]);
      const due = sql`SELECT id FROM extras WHERE at < ${later(now, ":ttl")} ORDER BY id`;
      expect(await tx.all(due, { now: noon, ttl: -86_400_000 })).toContainEqual([2]);
    });
  });

  test("keeps a u64 as text in and out", async () => {
    await using at = await open();
    await at.engine.transaction(async (tx) => {
      await tx.stage(things, []);
      const add = sql`INSERT INTO things (id, version, name, count) VALUES (:id, :version, :name, :count::u64)`;
      expect(await tx.run(add, { id: 1, version: 1n, name: "a", count: 2n ** 64n - 1n })).toBe(1);
      expect(await tx.run(add, { id: 2, version: 1n, name: "b", count: "10" })).toBe(1);
      const both = sql`SELECT count FROM things WHERE count IN (:a::u64, :b::u64) ORDER BY id`;
      expect(await tx.all(both, { a: 10n, b: 2n ** 64n - 1n })).toEqual([["18446744073709551615"], ["10"]]);
    });
  });

  test("refuses what is not exact, and a parameter that was not given", async () => {
    await using at = await open();
    await expect(at.engine.first(sql`SELECT :n`, { n: 2 ** 53 })).rejects.toThrow("cannot be kept exactly");
    await expect(at.engine.first(sql`SELECT :n`, { m: 1 })).rejects.toThrow("needs :n");
    await expect(at.engine.transaction((tx) => tx.stage(numbers, [[2 ** 60]]))).rejects.toThrow("cannot be kept exactly");
    await expect(at.engine.transaction((tx) => tx.stage(numbers, [[1, 2]]))).rejects.toThrow("2 cells instead of 1");
  });

  test("says how many rows a statement changed, also with RETURNING", async () => {
    await using at = await open();
    await at.engine.transaction(async (tx) => {
      await tx.stage(numbers, upTo(5));
      expect(await tx.run(sql`UPDATE numbers SET n = n + 10 WHERE n > 3`)).toBe(2);
      expect(await tx.all(sql`DELETE FROM numbers WHERE n > 10 RETURNING n`)).toHaveLength(2);
      expect(await tx.run(sql`DELETE FROM numbers WHERE n = 1 RETURNING n`)).toBe(1);
      expect(await tx.all(sql`UPDATE numbers AS a SET n = b.m FROM (SELECT 7 AS m) b WHERE a.n = 2 RETURNING n`)).toEqual([[7]]);
    });
  });

  test("streams in lists", async () => {
    await using at = await open();
    await at.engine.run(sql`CREATE TABLE numbers (n bigint)`);
    await at.engine.transaction((tx) => tx.bulk(numbers, upTo(2_500)));
    const select = sql`SELECT n FROM numbers WHERE n > :after ORDER BY n`;
    const walk = async (rows: AsyncIterable<Row[]>) => (await Array.fromAsync(rows)).map((list) => [list.length, list[0]?.[0]]);
    const expected = [
      [1_000, 101],
      [1_000, 1_101],
      [400, 2_101],
    ];
    expect(await walk(at.engine.stream(select, { after: 100 }))).toEqual(expected);
    expect(await at.engine.transaction((tx) => walk(tx.stream(select, { after: 100 })))).toEqual(expected);
    expect(await walk(at.engine.stream(select, { after: 3_000 }))).toEqual([]);
    for await (const _ of at.engine.stream(select, { after: 0 })) break;
    expect(await at.engine.first(count)).toEqual([2_500]);
  });

  test("a stream is of one state and holds nobody up", async () => {
    await using at = await open();
    await at.engine.run(sql`CREATE TABLE numbers (n bigint)`);
    await at.engine.transaction((tx) => tx.bulk(numbers, upTo(2_500)));
    let seen = 0;
    for await (const list of at.engine.stream(sql`SELECT n FROM numbers`)) {
      seen += list.length;
      await at.engine.run(sql`DELETE FROM numbers`);
    }
    expect(seen).toBe(2_500);
    expect(await at.engine.first(count)).toEqual([0]);
  });
});

eachEngine("a transaction", (open) => {
  const openNumbers = async () => {
    const at = await open();
    await at.engine.run(sql`CREATE TABLE numbers (n bigint PRIMARY KEY)`);
    return at;
  };
  const add = sql`INSERT INTO numbers VALUES (:n)`;

  test("is rolled back when its work fails, and what it staged is gone either way", async () => {
    await using at = await openNumbers();
    const failing = at.engine.transaction(async (tx) => {
      await tx.stage(things, []);
      await tx.run(add, { n: 1 });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await at.engine.first(count)).toEqual([0]);
    for (let again = 0; again < 2; again++) {
      await at.engine.transaction(async (tx) => {
        await tx.stage(things, []);
        await tx.stageSelect("kept", sql`SELECT n, CAST(:large AS bigint) AS large FROM numbers`, { large: 2 ** 40 });
        await tx.run(add, { n: again });
        expect(await tx.all(sql`SELECT large FROM kept`)).toHaveLength(again);
      });
    }
    await expect(at.engine.all(allThings)).rejects.toMatchObject({ code: "MOVEDEX_STORE_UNEXPECTED" });
    await expect(at.engine.all(sql`SELECT * FROM kept`)).rejects.toMatchObject({ code: "MOVEDEX_STORE_UNEXPECTED" });
    expect(await at.engine.first(count)).toEqual([2]);
  });

  test("fails as a whole when one statement failed, even where the error is caught", async () => {
    await using at = await openNumbers();
    const careless = at.engine.transaction(async (tx) => {
      await tx.run(add, { n: 1 });
      await tx.run(add, { n: 1 }).catch(() => {});
    });
    await expect(careless).rejects.toMatchObject({ code: "MOVEDEX_STORE_UNEXPECTED" });
    expect(await at.engine.first(count)).toEqual([0]);
  });

  test("loads several tables at once, or none of them where one row is refused or the rows end early", async () => {
    await using at = await openNumbers();
    await at.engine.run(sql`CREATE TABLE words (word text PRIMARY KEY)`);
    const words = { name: "words", columns: { word: { kind: "text" } } } as const;
    const counts = sql`SELECT (SELECT count(*) FROM numbers), (SELECT count(*) FROM words)`;
    // More than a connection takes at a time.
    const texts = Array.from({ length: 40_000 }, (_, i) => `${i} ${"x".repeat(100)}`);
    const ending = function* () {
      yield* upTo(30_000);
      throw new Error("no more");
    };
    const [twice, all] = [
      [numbers, [[1], [1]]],
      [words, { cells: texts }],
    ] as const;
    const refused = [
      [twice, all],
      [all, twice],
      [all, [numbers, ending()], all],
      [all, [numbers, [[1, 2]]]],
    ] as const;
    for (const loads of refused) {
      await expect(at.engine.transaction((tx) => tx.bulkAll(loads))).rejects.toThrow();
      expect(await at.engine.first(counts)).toEqual([0, 0]);
    }
    await at.engine.transaction((tx) =>
      tx.bulkAll([
        [words, { cells: texts }],
        [numbers, upTo(3)],
      ]),
    );
    expect(await at.engine.first(counts)).toEqual([3, 40_000]);
    await at.engine.transaction((tx) => tx.bulkAll([]));
  });

  test("counts up without losing a step, however many there are at once", async () => {
    await using at = await openNumbers();
    await at.engine.run(add, { n: 0 });
    const step = () =>
      at.engine.transaction(async (tx) => {
        const [n] = (await tx.first(sql<[number]>`SELECT n FROM numbers`)) as [number];
        await tx.run(sql`UPDATE numbers SET n = n + 1`);
        return n;
      });
    await Promise.all(Array.from({ length: 20 }, step));
    expect(await at.engine.first(sql`SELECT n FROM numbers`)).toEqual([20]);
  });

  test("is not seen from outside before it ends", async () => {
    await using at = await openNumbers();
    const held = Promise.withResolvers<void>();
    const writing = at.engine.transaction(async (tx) => {
      await tx.run(add, { n: 1 });
      await held.promise;
      throw new Error("no");
    });
    const reading = at.engine.first(count);
    const streaming = Array.fromAsync(at.engine.stream(count));
    held.resolve();
    await expect(writing).rejects.toThrow("no");
    expect(await reading).toEqual([0]);
    expect(await streaming).toEqual([[[0]]]);
  });

  test("refuses questions to the engine from within, and to itself once it is over", async () => {
    await using at = await openNumbers();
    let outside: Promise<unknown> = Promise.resolve();
    const inside = at.engine.transaction(async (tx) => {
      outside = (async () => tx)().then(async (late) => {
        await at.engine.first(count).catch(() => {});
        return late;
      });
      await at.engine.first(count);
    });
    await expect(inside).rejects.toThrow("the transaction has to be asked");
    const late = (await outside) as { first: (statement: typeof count) => Promise<Cell[]> };
    await expect(late.first(count)).rejects.toThrow("this transaction has ended");
    expect(await at.engine.first(count)).toEqual([0]);
  });

  test("that only reads cannot write, and the next one can", async () => {
    await using at = await openNumbers();
    const writing = at.engine.transaction((tx) => tx.run(add, { n: 1 }), { mode: "read" });
    await expect(writing).rejects.toMatchObject({ code: "MOVEDEX_STORE_READ_ONLY" });
    await at.engine.run(add, { n: 1 });
    expect(await at.engine.transaction((tx) => tx.first(count), { mode: "read" })).toEqual([1]);
  });
});
