import type { Database, Statement } from "better-sqlite3";
import type { Cell, Value } from "../../../base/cell.ts";
import type { Kind } from "../../schema/column.ts";
import { type Parameter, parseParameters, type Sql } from "../../schema/sql/sql.ts";
import type { Row, Session, Values } from "../engine.ts";
import { notExact } from "../errors.ts";
import { addChecksumFunction } from "./open-file.ts";
import { translateSqliteError } from "./sqlite-errors.ts";

type Prepared = Statement<[bound: readonly Cell[]], unknown[]>;

type Compiled = { readonly prepared: Prepared; readonly parameters: readonly Parameter[] };

/** Prepared statements that are kept for use again; those used longest ago go first. */
const KEPT = 500;
const LIST = 1_000;

/**
 * The questions of an engine on a connection, in whatever transaction its owner began. Statements are prepared when they are first used.
 * Integers are always exact, however the connection reads them.
 */
export function sqliteSession(database: Database, path: string): Session {
  addChecksumFunction(database);
  const bySql = new WeakMap<Sql, Compiled>();
  const byText = new Map<string, Compiled>();

  const compile = (source: string): Compiled => {
    const { texts, parameters } = parseParameters(source);
    const prepared: Prepared = database.prepare<[readonly Cell[]], unknown[]>(texts.join("?")).safeIntegers(true);
    return { prepared: prepared.reader ? prepared.raw(true) : prepared, parameters };
  };
  const find = (statement: Sql): Compiled => {
    let compiled = bySql.get(statement);
    if (compiled !== undefined) return compiled;
    const source = statement.in("sqlite");
    compiled = byText.get(source) ?? compile(source);
    byText.delete(source);
    byText.set(source, compiled);
    if (byText.size > KEPT) byText.delete(byText.keys().next().value as string);
    bySql.set(statement, compiled);
    return compiled;
  };
  const ask = async <T>(statement: Sql, values: Values | undefined, how: (prepared: Prepared, bound: readonly Cell[]) => T): Promise<T> => {
    try {
      const { prepared, parameters } = find(statement);
      return how(prepared, bind(parameters, values));
    } catch (error) {
      throw translateSqliteError(error, "read or write the database", path);
    }
  };

  return {
    all: (statement, values) => ask(statement, values, (prepared, bound) => prepared.all(bound).map(plainRow) as never[]),
    first: (statement, values) =>
      ask(statement, values, (prepared, bound) => {
        const row = prepared.get(bound);
        return row === undefined ? undefined : (plainRow(row) as never);
      }),
    run: (statement, values) =>
      ask(statement, values, (prepared, bound) => (prepared.reader ? prepared.all(bound).length : prepared.run(bound).changes)),
    stream: async function* (select, values) {
      try {
        const { prepared, parameters } = find(select);
        let list: Row[] = [];
        for (const row of prepared.iterate(bind(parameters, values))) {
          list.push(plainRow(row));
          if (list.length < LIST) continue;
          yield list as never[];
          list = [];
        }
        if (list.length > 0) yield list as never[];
      } catch (error) {
        throw translateSqliteError(error, "read the database", path);
      }
    },
  };
}

function bind(parameters: readonly Parameter[], values: Values = {}): Cell[] {
  return parameters.map(({ name, kind }) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`the statement needs :${name}, and it was not given.`);
    return bindValue(value, kind);
  });
}

/** A parameter as SQLite takes it. better-sqlite3 binds every number as a floating-point one, so whole ones go as bigint. */
function bindValue(value: Value, kind: Kind | undefined): Cell {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (kind === "u64" && value !== null) return String(value);
  if (typeof value !== "number" || !Number.isInteger(value)) return value;
  if (!Number.isSafeInteger(value)) throw notExact(value);
  return BigInt(value);
}

/** A cell of a bulk load as SQLite takes it. Integers may be bound as floating point here: an integer column converts them back. */
export function bindCell(value: unknown, kind: Kind): Cell {
  // First what nearly all cells are.
  if (typeof value === "string" && kind !== "bytes") return value;
  if (value === null || value === undefined) return null;
  if (kind === "u64") return String(value);
  if (kind === "bytes" && typeof value === "string") return Buffer.from(value, "hex");
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw notExact(value);
  return typeof value === "boolean" ? Number(value) : (value as Cell);
}

/** A row as SQLite hands it over, its integers numbers where they are exact. Changed in place. */
function plainRow(row: unknown[]): Cell[] {
  for (let i = 0; i < row.length; i++) {
    const value = row[i];
    if (typeof value !== "bigint") continue;
    const number = Number(value);
    if (Number.isSafeInteger(number)) row[i] = number;
  }
  return row as Cell[];
}
