import { createHash } from "node:crypto";
import { databaseAt } from "../../../src/engine/database-at.ts";
import { viewList } from "../../../src/schema/views/views.ts";

/** A question to a view: its name, and which of its rows; all of them where nothing is said. */
export type ViewQuestion = { readonly name: string; readonly where?: string };

/** What a database says, on any engine: by public view, how many rows it has and the sum of their digests, whatever their order. */
export function viewDigests(path: string): Promise<Record<string, string>> {
  return questionDigests(path, viewList);
}

/** The same of certain rows of views, by the question. */
export async function questionDigests(path: string, questions: Iterable<ViewQuestion>): Promise<Record<string, string>> {
  await using door = await databaseAt(path).openToQuery({ isOwn: true });
  const found: Record<string, string> = {};
  for (const { name, where } of questions) {
    const select = where === undefined ? name : `${name} WHERE ${where}`;
    let rows = 0;
    let sum = 0n;
    for await (const row of (await door.query(`SELECT * FROM ${select}`)).rows) {
      // Numbers and texts are told apart, so that a 1 and a "1" differ.
      const line = JSON.stringify(row.map((cell) => (typeof cell === "bigint" ? `${cell}n` : cell)));
      sum += createHash("sha256").update(line).digest().readBigUInt64LE();
      rows += 1;
    }
    found[select] = `${rows} ${BigInt.asUintN(64, sum).toString(16)}`;
  }
  return found;
}
