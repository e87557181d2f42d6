import type { Cell } from "../../base/cell.ts";
import { type AnyKind, type Fields, type Given, type JsonSchema, type Kind, object, u64, version } from "../../base/result.ts";
import { dataWidth, type Io } from "../io.ts";
import { jsonPrinter, printRows, tablePrinter } from "./rows.ts";

type Column = AnyKind & { readonly only?: "people" | "programs" };

type Declared<C> = {
  readonly columns: C;
  /** What is said when it is empty. */
  readonly none?: string;
  /** Whether a table without rows has its header. */
  readonly hasHeader?: true;
};

/** A list as it is declared: each column once, for tables and for programs. */
export type List<C extends Fields> = Declared<C> & { readonly entry: Kind<Given<C>, unknown> };

export function list<const C extends Fields>(declared: Declared<C>): List<C> {
  return { ...declared, entry: object(Object.fromEntries(columnsFor("programs", declared, []))) as never };
}

/** A column that tables have and programs are not given. */
export function forPeople<K extends AnyKind>(kind: K): K & { readonly only: "people" } {
  return { ...kind, only: "people" };
}

/** A column for programs that tables have no room for. */
export function forPrograms<K extends AnyKind>(kind: K): K & { readonly only: "programs" } {
  return { ...kind, only: "programs" };
}

/** How a command prints a list for programs: as one document, or as a line for each entry. */
export type ListOutput = { readonly json?: boolean; readonly jsonl?: boolean };

export function isForPrograms({ json, jsonl }: ListOutput): boolean {
  return json === true || jsonl === true;
}

function columnsFor(reader: Column["only"], { columns }: Declared<Fields>, leaves: readonly string[]): [name: string, Column][] {
  return Object.entries<Column>(columns).filter(([name, { only = reader }]) => only === reader && !leaves.includes(name));
}

type Printing = ListOutput & {
  /** Columns that are not printed this time. */
  readonly leaves?: readonly string[];
  readonly width?: number;
};

/** Prints a list as its rows come. */
export async function printList<C extends Fields>(
  io: Io,
  list: List<C>,
  rows: AsyncIterable<Given<C>> | Iterable<Given<C>>,
  { leaves = [], width = dataWidth(io), ...output }: Printing,
): Promise<void> {
  const isTable = !isForPrograms(output);
  const columns = columnsFor(isTable ? "people" : "programs", list, leaves);
  const { print } = object(Object.fromEntries(columns));
  const cellsOf = (values: Readonly<Record<string, unknown>>): Cell[] => columns.map(([name, { schema }]) => cellOf(values[name], schema));
  let isEmpty = true;
  async function* printed<T>(from: (values: Readonly<Record<string, unknown>>) => T): AsyncGenerator<T> {
    for await (const row of rows) {
      isEmpty = false;
      yield from(print(row as never));
    }
  }
  if (isTable) {
    const names = columns.map(([name]) => name);
    const { end, ...printer } = tablePrinter(names, width);
    await printRows(io, { ...printer, end: () => (isEmpty && !list.hasHeader ? "" : end()) }, printed(cellsOf));
  } else
    await printRows(
      io,
      jsonPrinter(output.jsonl ? "jsonl" : "json"),
      printed((values) => values),
    );
  if (isEmpty && list.none !== undefined) io.stderr(`movedex: ${list.none}\n`);
}

/** In a table versions are numbers, and conditions 0 or 1, as in SQL. */
function cellOf(value: unknown, schema: JsonSchema): Cell {
  if (typeof value === "boolean") return BigInt(value);
  const isInteger = schema["pattern"] === version.schema["pattern"] || schema["pattern"] === u64.schema["pattern"];
  return isInteger && typeof value === "string" ? BigInt(value) : (value as Cell);
}
