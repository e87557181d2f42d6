import type { Cell } from "../../../src/base/cell.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import type { QueryDoor } from "../../../src/engine/query-door.ts";

/** How an engine means to answer: its own lines, and the tables that it reads from end to end. */
export type Plan = { readonly lines: readonly string[]; readonly scanned: readonly string[] };

/** A statement to plan. */
export type Planned = { readonly sql: string; readonly parameters: Readonly<Record<string, string | bigint>> };

/** Asks a server for its plan of a statement, as movedex asks it: through a cursor, and with texts that are compared byte by byte. */
export async function readServerPlan(path: string, { sql, parameters }: Planned): Promise<Plan> {
  const { engine, close } = await databaseAt(path).open({ mode: "read" });
  try {
    const typed = sql.replace(/(?<!:):(\w+)/g, (place, name: string) =>
      typeof parameters[name] === "string" ? `(CAST(${place} AS text) COLLATE "C")` : place,
    );
    const explained = { in: () => `EXPLAIN DECLARE answer NO SCROLL CURSOR FOR ${typed}` };
    const lines = (await engine.all<[string]>(explained, parameters)).map(([line]) => line);
    return { lines, scanned: unique(lines.flatMap((line) => /Seq Scan on (?:\w+\.)?(\w+)/.exec(line)?.[1] ?? [])) };
  } finally {
    await close();
  }
}

/** Asks SQLite for its plan of a statement. */
export async function readPlan(door: QueryDoor, { sql, parameters }: Planned): Promise<Plan> {
  const ask = async (text: string) => await Array.fromAsync((await door.query(text, parameters)).rows);
  const lines = (await ask(`EXPLAIN QUERY PLAN ${sql}`)).map((row) => String(row.at(-1)));
  const trees = await Array.fromAsync(
    (await door.query("SELECT rootpage, type, name, tbl_name FROM sqlite_schema WHERE rootpage > 0")).rows,
  );
  return { lines, scanned: scannedTrees(await ask(`EXPLAIN ${sql}`), trees) };
}

/** The number of rows of each table. */
export async function countTables(door: QueryDoor, isServer: boolean): Promise<Map<string, number>> {
  const ask = async (text: string) => await Array.fromAsync((await door.query(text)).rows);
  if (isServer) {
    const sql =
      "SELECT relname, CAST(reltuples AS bigint) FROM pg_class WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)";
    return new Map((await ask(sql)).map(([name, rows]) => [String(name), Number(rows)]));
  }
  const counts = new Map<string, number>();
  const names = await ask("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0");
  for (const [name] of names) counts.set(String(name), Number((await ask(`SELECT count(*) FROM "${String(name)}"`))[0]?.[0]));
  return counts;
}

/**
 * The tables that a program of SQLite's reads from end to end, those read by an index alone marked. Plans name tables by their alias,
 * which says nothing of a view's insides; the program opens them by page. Source: sqlite.org/opcode.html.
 */
function scannedTrees(program: readonly (readonly Cell[])[], trees: readonly (readonly Cell[])[]): string[] {
  const byPage = new Map(
    trees.map(([page, type, , table]) => [Number(page), type === "index" ? `${String(table)} (index)` : String(table)]),
  );
  const cursors = new Map<number, string>();
  const [begun, walked, counted] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const [, opcode, first, second] of program) {
    const cursor = Number(first);
    if (opcode === "OpenRead" || opcode === "ReopenIdx") cursors.set(cursor, byPage.get(Number(second)) ?? "");
    if (opcode === "Rewind" || opcode === "Last") begun.add(cursor);
    if (opcode === "Next" || opcode === "Prev") walked.add(cursor);
    if (opcode === "Count") counted.add(cursor);
  }
  const whole = [...cursors].filter(([cursor]) => (begun.has(cursor) && walked.has(cursor)) || counted.has(cursor));
  return unique(whole.map(([, name]) => name));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
