import { expect, test } from "vitest";
import { sql } from "../../../src/schema/sql/sql.ts";
import { openSqlite } from "../../../src/store/connection/open-sqlite.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const count = sql`SELECT count(*) FROM _addresses`;

test("an opened file has an engine, whose transactions keep apart from work on the connection itself", async () => {
  using directory = temporaryDirectory();
  const { database, engine, close } = openSqlite(directory.file("archive.db"), { mode: "write", now: () => 0 });
  const insert = database.prepare("INSERT INTO _addresses (address) VALUES (?)");
  const order: string[] = [];
  const byEngine = engine.transaction(async (tx) => {
    await tx.run(sql`INSERT INTO _addresses (address) VALUES (:address)`, { address: "0x1" });
    await Promise.resolve();
    order.push("engine");
    throw new Error("no");
  });
  const byHand = engine.exclusive(() => {
    order.push("hand");
    expect(database.inTransaction).toBe(false);
    return database.transaction(() => insert.run("0x2")).immediate().changes;
  });
  await expect(byEngine).rejects.toThrow("no");
  expect(await byHand).toBe(1);
  expect(order).toEqual(["engine", "hand"]);
  expect(await engine.first(count)).toEqual([1]);
  close();
});
