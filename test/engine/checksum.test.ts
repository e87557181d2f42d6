import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { checksum } from "../../src/core/db/schema/column.ts";
import { writeChecksum } from "../../src/core/db/schema/sql/checksum.ts";
import { inDialect, sql, verbatim } from "../../src/core/db/schema/sql/sql.ts";
import type { TableData } from "../../src/core/db/schema/table.ts";
import { eachEngine } from "./support/each-engine.ts";

const every = {
  name: "every_kind",
  meaning: "a column of each kind",
  columns: {
    id: { kind: "int", meaning: "number" },
    at_version: { kind: "version", meaning: "version" },
    text: { kind: "text", meaning: "text", nullable: true },
    amount: { kind: "u64", meaning: "u64", nullable: true },
    code: { kind: "bytes", meaning: "bytes", nullable: true },
    list: { kind: "json", meaning: "json", nullable: true },
    is_new: { kind: "bool", meaning: "bool", nullable: true },
    seen_at: { kind: "time", meaning: "time", nullable: true },
    own: { kind: "int", meaning: "bookkeeping", isUnchecked: true },
    checksum,
  },
  key: ["id"],
  indexes: [],
} as const satisfies TableData;

const create = inDialect((dialect) =>
  dialect === "sqlite"
    ? "CREATE TABLE every_kind (id integer PRIMARY KEY, at_version integer, text text, amount text, code blob, list text, is_new integer, seen_at integer, own integer, checksum integer) STRICT"
    : "CREATE TABLE every_kind (id bigint PRIMARY KEY, at_version bigint, text text, amount numeric(20,0), code bytea, list json, is_new boolean, seen_at timestamptz, own bigint, checksum bigint)",
);
const filled = [1, 2n ** 62n, "Grüße ]=\n", 2n ** 64n - 1n, new Uint8Array([0, 255]), '[1,"a"]', true, 1_700_000_000_123, 5, null];
const empty = [2, 0n, null, null, null, null, null, null, 5, null];

const first48Bits = (text: string): number => Number.parseInt(createHash("sha256").update(text).digest("hex").slice(0, 12), 16);
const texts = ["id=1", "at_version=4611686018427387904", "text=Grüße ]=\n", "amount=18446744073709551615", "code=00ff"];
const FILLED = first48Bits([...texts, 'list=[1,"a"]', "is_new=1", "seen_at=1700000000123", ""].join("\u001f"));
const EMPTY = first48Bits("id=2\u001fat_version=0\u001f");

eachEngine("row checksums", (open) => {
  test("are the same number from every engine", async () => {
    await using at = await open();
    await at.engine.run(create);
    await at.engine.transaction((tx) => tx.bulk(every, [filled, empty]));
    for (const id of [1, 2]) await at.engine.run(writeChecksum(every), { id });
    const sums = await at.engine.all(sql<[number]>`SELECT checksum FROM every_kind ORDER BY id`);
    expect(sums).toEqual([[FILLED], [EMPTY]]);
  });

  test("change with every column but bookkeeping, and tell null from nothing", async () => {
    await using at = await open();
    await at.engine.run(create);
    const sumAfter = async (change: string): Promise<unknown> => {
      await at.engine.run(sql`DELETE FROM every_kind`);
      await at.engine.transaction((tx) => tx.bulk(every, [filled]));
      await at.engine.run(verbatim(`UPDATE every_kind SET ${change}`));
      const write = writeChecksum(every);
      await at.engine.run(inDialect((dialect) => write.in(dialect).replace(/ WHERE .*$/s, "")));
      return (await at.engine.first(sql<[number]>`SELECT checksum FROM every_kind`))?.[0];
    };
    expect(await sumAfter("own = 6")).toBe(FILLED);
    const nulls = ["text", "code", "list", "is_new", "seen_at"].map((name) => `${name} = NULL`);
    const changes = ["id = 7", "at_version = 3", "text = ''", "amount = '1'", ...nulls];
    const sums: unknown[] = [];
    for (const change of changes) sums.push(await sumAfter(change));
    expect(new Set([FILLED, ...sums]).size).toBe(changes.length + 1);
  });
});
