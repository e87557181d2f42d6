import { createHash } from "node:crypto";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { viewList } from "../../../src/core/db/schema/views/views.ts";

/**
 * What a database says, on any engine: by public view, how many rows it has and the sum of their digests, whatever their order. How bytes
 * are packed is left out: it depends on the order of nights.
 */
export async function viewDigests(path: string): Promise<Record<string, string>> {
  await using door = await databaseAt(path).openToQuery();
  const found: Record<string, string> = {};
  for (const { name } of viewList.filter((view) => view.name !== "bytes_held")) {
    let rows = 0;
    let sum = 0n;
    for await (const row of (await door.query(`SELECT * FROM ${name}`)).rows) {
      // Numbers and texts are told apart, so that a 1 and a "1" differ.
      const line = JSON.stringify(row.map((cell) => (typeof cell === "bigint" ? `${cell}n` : cell)));
      sum += createHash("sha256").update(line).digest().readBigUInt64LE();
      rows += 1;
    }
    found[name] = `${rows} ${BigInt.asUintN(64, sum).toString(16)}`;
  }
  return found;
}
