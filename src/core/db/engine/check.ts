import { type Sql, sql, verbatim } from "../schema/sql/sql.ts";
import type { Engine, Session } from "./engine.ts";
import { countOf } from "./row-shape.ts";

/** Something stored that cannot be right: which row of which table, and what is wrong with it. */
export type Damage = { readonly table: string; readonly row: string; readonly problem: string };

/** The name in place of a table's where damaged pages of a file belong to no table that is known. */
export const FILE = "(file)";

/** One part of verifying: things of one kind, each checked by itself. */
export type Check = {
  /** What is looked at, in the plural, for progress and summaries. */
  readonly name: string;
  readonly total: () => Promise<number>;
  /** One step for each thing: what is wrong with it, as a rule nothing. */
  readonly steps: () => AsyncIterable<readonly Damage[]>;
};

export function checkOf<T>(name: string, things: readonly T[], damageOf: (thing: T) => Promise<readonly Damage[]>): Check {
  const steps = async function* () {
    for (const thing of things) yield await damageOf(thing);
  };
  return { name, total: async () => things.length, steps };
}

/** Which part of the rows is looked at: those whose number leaves `part` when divided by `of`. `{ part: 0, of: 1 }` is everything. */
export type Slice = { readonly part: number; readonly of: number };

export type VerifySession = {
  readonly session: Session;
  /** What is wrong with tables, indexes and triggers so that a stranger's database may not be read. Of a server's, opening has told. */
  readonly schema: () => readonly Damage[];
  /** Tables in a file that movedex did not make and leaves alone. */
  readonly added?: () => readonly string[];
  /** The engine's own judgement: tables are as movedex makes them, and references lead to rows. */
  readonly tables: (slice: Slice) => Check;
  /** Missing or different views, and a different table `documentation`. A server prints views in its own words, and cannot tell. */
  readonly views?: (slice: Slice) => Check;
  /** What a failure says where damage of the database brought it about; undefined for any other. */
  readonly damageIn: (error: unknown) => string | undefined;
  readonly close: () => Promise<void>;
};

/** The condition that a row falls into a slice, by a number of its own. The sign is left out: damaged numbers may be negative. */
export function inSlice(column: Sql, { part, of }: Slice): Sql {
  const [divisor, rest] = [of, part].map((n) => verbatim(String(Math.trunc(n)))) as [Sql, Sql];
  return of === 1 ? sql`TRUE` : sql`((${column} & 9223372036854775807) % ${divisor} = ${rest})`;
}

export async function countRowsOf(session: Session, from: Sql): Promise<number> {
  return countOf(session, sql`SELECT count(*) FROM ${from}`);
}

type Reading = { readonly session: Session; readonly close: () => Promise<void> };

/** Begins a transaction that only reads, for work that is no single function: until `close`, all that is asked is of one state. */
export async function beginReading(engine: Engine): Promise<Reading> {
  const begun = Promise.withResolvers<Session>();
  const closed = Promise.withResolvers<void>();
  const whole = engine.transaction(
    async (transaction) => {
      begun.resolve(transaction);
      await closed.promise;
    },
    { mode: "read" },
  );
  whole.catch(begun.reject);
  return {
    session: await begun.promise,
    close: async () => {
      closed.resolve();
      // A statement that failed was told to whoever asked it.
      await whole.catch(() => undefined);
    },
  };
}
