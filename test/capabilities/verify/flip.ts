import type { Database } from "better-sqlite3";
import { expect } from "vitest";
import { seededRandom } from "../../../src/core/base/numbers.ts";
import type { TableData } from "../../../src/core/db/schema/table.ts";
import { viewNames } from "../../../src/core/db/schema/view-statements.ts";

type Stored = string | bigint | Uint8Array | null;
type Row = Readonly<Record<string, Stored>>;

/** One bit of one stored value, turned over. */
export type Flip = { readonly table: string; readonly column: string; readonly before: string; readonly after: string };

/**
 * Turns over a random bit of a random row's value in one column, as a failing disk or memory would. Undefined where there is
 * no value, or where SQLite itself refuses the row (it would repeat a key).
 */
function flipBit(database: Database, table: TableData, column: string, random: () => number): Flip | undefined {
  const below = (limit: number): number => Math.floor(random() * limit);
  const rows = database.prepare<[], Row>(`SELECT * FROM ${table.name}`).safeIntegers().all();
  const row = rows[below(rows.length)];
  const value = row?.[column];
  if (row === undefined || value === null || value === undefined) return undefined;
  const flipped = flip(value, below);
  if (flipped === undefined) return undefined;
  const where = table.key.map((name) => `${name} = @key_${name}`).join(" AND ");
  const keys = Object.fromEntries(table.key.map((name) => [`key_${name}`, row[name] as Stored]));
  const set = typeof value === "string" ? "CAST(@flipped AS TEXT)" : "@flipped";
  try {
    database.prepare(`UPDATE ${table.name} SET ${column} = ${set} WHERE ${where}`).run({ ...keys, flipped });
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith("SQLITE_CONSTRAINT")) return undefined;
    throw error;
  }
  return { table: table.name, column, before: shown(value), after: shown(flipped) };
}

/** What all public views answer. */
function answersOf(database: Database): string {
  return JSON.stringify(
    viewNames("sqlite").map((name) => database.prepare(`SELECT * FROM ${name}`).safeIntegers(false).raw().all().map(String).sort()),
  );
}

/** Turns over `count` random bits of a column, one at a time, and expects that each is found, or that no view answers otherwise for it. */
export async function expectFlipsFound(
  database: Database,
  [table, column]: readonly [TableData, string],
  count: number,
  damageOf: () => Promise<readonly unknown[]>,
): Promise<void> {
  const random = seededRandom(column.length + 1000 * table.name.length);
  for (let n = 0; n < count; n++) {
    let unfound: readonly [flip: Flip, answers: string] | undefined;
    database.exec("BEGIN");
    try {
      const flip = flipBit(database, table, column, random);
      if (flip !== undefined && (await damageOf()).length === 0) unfound = [flip, answersOf(database)];
    } finally {
      database.exec("ROLLBACK");
    }
    if (unfound !== undefined) expect(unfound[1] === answersOf(database), JSON.stringify(unfound[0])).toBe(true);
  }
}

function flip(value: string | bigint | Uint8Array, below: (limit: number) => number): bigint | Uint8Array | undefined {
  if (typeof value === "bigint") return BigInt.asIntN(64, value ^ (1n << BigInt(below(below(2) === 0 ? 8 : 64))));
  const bytes = typeof value === "string" ? Buffer.from(value) : Buffer.from(value);
  if (bytes.length === 0) return undefined;
  const at = below(bytes.length);
  bytes[at] = (bytes[at] as number) ^ (1 << below(8));
  return bytes;
}

function shown(value: string | bigint | Uint8Array): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex").slice(0, 200) : String(value);
}
