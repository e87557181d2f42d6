import { expect } from "vitest";
import { databaseAt } from "../../../src/engine/database-at.ts";
import { recipes } from "../../../src/schema/cookbook/cookbook.ts";
import { rowsOf } from "../../support/store/ask-file.ts";
import { test } from "../../support/test.ts";
import { writeSmallArchive } from "../verify/small-archive.ts";

type Snapshot = { readonly ledger_version: number; readonly day: string };

test("abi-at-date goes by the ledger's time: an old version that was read last is not the newest state", async ({ place }) => {
  const path = place.file("small.db");
  // Sealed in the order: the first version, the newest, one in between.
  await writeSmallArchive(path);
  const snapshots = rowsOf(path, "SELECT ledger_version, date(ledger_time) AS day FROM snapshots ORDER BY ledger_version") as Snapshot[];
  const [account] = rowsOf(path, "SELECT address FROM modules_latest WHERE module = 'pool'") as { address: string }[];
  const recipe = recipes.find(({ name }) => name === "abi-at-date");
  await using door = await databaseAt(path).openToQuery();
  const versionsAt = async (date: string) => {
    const { rows } = await door.query(recipe?.sql as string, { address: account?.address as string, module: "pool", date });
    return new Set((await Array.fromAsync(rows)).map(([version]) => Number(version)));
  };
  const newest = snapshots.at(-1) as Snapshot;
  // A day stands for all of it, and so does a time of it; what is no date stands for none.
  for (const date of ["2999-01-01", newest.day, `${newest.day}T00:00:00`])
    expect(await versionsAt(date)).toEqual(new Set([newest.ledger_version]));
  for (const date of ["2026-01-04", "21.11.2999"]) expect(await versionsAt(date)).toEqual(new Set());
});
