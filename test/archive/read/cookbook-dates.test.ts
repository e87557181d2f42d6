import { expect } from "vitest";
import { databaseAt } from "../../../src/engine/database-at.ts";
import { recipes } from "../../../src/schema/cookbook/cookbook.ts";
import { rowsOf } from "../../support/store/ask-file.ts";
import { test } from "../../support/test.ts";
import { writeSmallArchive } from "../verify/small-archive.ts";

test("abi-at-date goes by the ledger's time: an old version that was read last is not the newest state", async ({ place }) => {
  const path = place.file("small.db");
  // Sealed in the order: the first version, the newest, one in between.
  await writeSmallArchive(path);
  const versions = rowsOf(path, "SELECT ledger_version FROM snapshots ORDER BY ledger_version") as { ledger_version: number }[];
  const [account] = rowsOf(path, "SELECT address FROM modules_latest WHERE module = 'pool'") as { address: string }[];
  const recipe = recipes.find(({ name }) => name === "abi-at-date");
  await using door = await databaseAt(path).openToQuery();
  const values = { address: account?.address as string, module: "pool", date: "2999-01-01" };
  const { rows } = await door.query(recipe?.sql as string, values);
  const found = new Set((await Array.fromAsync(rows)).map(([version]) => Number(version)));
  expect([...found]).toEqual([versions.at(-1)?.ledger_version]);
});
