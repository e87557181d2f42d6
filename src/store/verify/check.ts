import type { Database } from "better-sqlite3";

/** Something stored that cannot be right: which row of which table, and what is wrong with it. */
export type Damage = { readonly table: string; readonly row: string; readonly problem: string };

/** One part of verifying: things of one kind, each checked by itself. */
export type Check = {
  /** What is looked at, in the plural, for progress and summaries. */
  readonly name: string;
  readonly total: () => number;
  /** One step for each thing: what is wrong with it, as a rule nothing. */
  readonly steps: () => Iterable<readonly Damage[]>;
};

/** Which part of the rows is looked at: those whose number leaves `part` when divided by `of`. `{ part: 0, of: 1 }` is everything. */
export type Slice = { readonly part: number; readonly of: number };

/** The condition that a row falls into a slice, by a number of its own. The sign is left out: damaged numbers may be negative. */
export function inSlice(column: string, { part, of }: Slice): string {
  return of === 1 ? "1" : `(${column} & 9223372036854775807) % ${of} = ${part}`;
}

/** The number that a question answers with. */
export function countOf(database: Database, sql: string): number {
  return Number(database.prepare<[], bigint>(sql).pluck().get());
}
