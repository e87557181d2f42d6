import { formatHex } from "../../base/bytes.ts";
import type { Cell } from "../../base/cell.ts";
import { printable } from "../../base/printable.ts";
import { present } from "../../errors.ts";
import { joined, type Sql, verbatim } from "../schema/sql/sql.ts";
import type { Integer, Row, Session, Transaction, Values } from "./engine.ts";
import { StoreError } from "./errors.ts";

/** One cell of a row: the SQL that gives it, and how it is read. */
export type Field<T> = { readonly select: Sql; readonly read: (cell: Cell) => T };

/** What the rows of a SELECT hold, by name. */
export type RowShape<T> = {
  /** The terms between SELECT and FROM. */
  readonly columns: Sql;
  /** @throws StoreError `MOVEDEX_STORE_DAMAGED` for a cell that is not what its field says */
  readonly read: (row: Row) => T;
  readonly all: <V extends Values>(from: Pick<Session, "all">, statement: Sql<Row, V>, values?: V) => Promise<T[]>;
  readonly first: <V extends Values>(from: Pick<Session, "first">, statement: Sql<Row, V>, values?: V) => Promise<T | undefined>;
  /** The row of a statement that always gives one, such as a count. */
  readonly only: <V extends Values>(from: Pick<Session, "first">, statement: Sql<Row, V>, values?: V) => Promise<T>;
  readonly stream: <V extends Values>(from: Pick<Session, "stream">, statement: Sql<Row, V>, values?: V) => AsyncGenerator<T>;
};

export type ReadBy<F> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never };

/** SQL of a field; a text is a part of the program, never anybody's data. */
type Select = Sql | string;

export function rowOf<F extends Readonly<Record<string, Field<unknown>>>>(fields: F): RowShape<ReadBy<F>> {
  const list = Object.entries(fields);
  const read = (row: Row): ReadBy<F> => {
    const value: Record<string, unknown> = {};
    for (const [i, [name, field]] of list.entries()) value[name] = field.read(row[i] as Cell);
    return value as ReadBy<F>;
  };
  const columns = joined(
    list.map(([, { select }]) => select),
    ", ",
  );
  return rowOfColumns(columns, read);
}

/** A shape whose rows mean something else than their fields: `read` makes it of them. */
export function rowOfColumns<T>(columns: Sql, read: (row: Row) => T): RowShape<T> {
  return {
    columns,
    read,
    all: async (from, statement, values) => (await from.all(statement, values)).map(read),
    first: async (from, statement, values) => {
      const row = await from.first(statement, values);
      return row && read(row);
    },
    only: async (from, statement, values) => read(present(await from.first(statement, values), "the statement always gives a row")),
    stream: async function* (from, statement, values) {
      for await (const rows of from.stream(statement, values)) for (const row of rows) yield read(row);
    },
  };
}

/** The number in the first cell of a statement's rows; 0 where there is no row, or nothing in it. */
export async function countOf(from: Pick<Session, "first">, statement: Sql, values: Values = {}): Promise<number> {
  const [cell = null] = (await from.first(statement, values)) ?? [];
  return cell === null ? 0 : count.read(cell);
}

export async function versionsOf(from: Pick<Session, "all">, statement: Sql, values: Values = {}): Promise<bigint[]> {
  return (await from.all(statement, values)).map(([cell]) => anyVersion.read(cell as Cell));
}

export async function textsOf<T extends string = string>(from: Pick<Session, "all">, statement: Sql, values: Values = {}): Promise<T[]> {
  return (await from.all(statement, values)).map(([cell]) => anyText.read(cell as Cell) as T);
}

/** Text; `T` where it is one of some words. */
export function text<T extends string = string>(select: Select): Field<T> {
  return field(select, "text", (cell) => (typeof cell === "string" ? (cell as T) : undefined));
}

/** A whole number that is exact as a number: a count, a row's number, a moment in milliseconds. */
export function whole(select: Select): Field<number> {
  return field(select, "a whole number", (cell) => (Number.isSafeInteger(cell) ? (cell as number) : undefined));
}

/** A ledger version, or another number that may be beyond 2^53. */
export function version(select: Select): Field<bigint> {
  return field(select, "a ledger version", (cell) => (isDigits(cell) ? BigInt(cell) : undefined));
}

export function condition(select: Select): Field<boolean> {
  return field(select, "0 or 1", (cell) => (cell === 0 || cell === 1 ? cell === 1 : undefined));
}

export function hex(select: Select): Field<string> {
  return field(select, "bytes", (cell) => (cell instanceof Uint8Array ? formatHex(cell) : undefined));
}

export function bytes(select: Select): Field<Uint8Array> {
  return field(select, "bytes", (cell) => (cell instanceof Uint8Array ? cell : undefined));
}

/** JSON that the program itself has stored. */
export function stored<T>(select: Select): Field<T> {
  const { read, ...rest } = text(select);
  return { ...rest, read: (cell) => JSON.parse(read(cell)) as T };
}

export function orNull<T>({ select, read }: Field<T>): Field<T | null> {
  return { select, read: (cell) => (cell === null ? null : read(cell)) };
}

export function orUndefined<T>({ select, read }: Field<T>): Field<T | undefined> {
  return { select, read: (cell) => (cell === null ? undefined : read(cell)) };
}

function field<T>(select: Select, wanted: string, read: (cell: Cell) => T | undefined): Field<T> {
  const part = typeof select === "string" ? verbatim(select) : select;
  return {
    select: part,
    read: (cell) => {
      const value = read(cell);
      if (value !== undefined) return value;
      const found = cell === null ? "nothing" : `\`${printable(String(cell), 80)}\``;
      throw new StoreError("MOVEDEX_STORE_DAMAGED", `a row holds ${found} where ${wanted} has to be. Run \`movedex verify\`.`);
    },
  };
}

function isDigits(cell: Cell): cell is string | number | bigint {
  return typeof cell === "string" ? /^-?\d+$/.test(cell) : typeof cell === "bigint" || Number.isSafeInteger(cell);
}

const [count, anyVersion, anyText] = [whole("n"), version("v"), text("t")];

/** Adds a row by an INSERT with `RETURNING id`, then its parts, then its checksum by the statement `check`. @returns its number */
export async function addRow<Id extends Integer = number>(
  tx: Transaction,
  insert: Sql,
  values: Values,
  check: Sql,
  addParts?: (id: Id) => Promise<unknown>,
): Promise<Id> {
  const [[id]] = (await tx.all(insert, values)) as unknown as [[Id]];
  await addParts?.(id);
  await tx.run(check, { id });
  return id;
}
