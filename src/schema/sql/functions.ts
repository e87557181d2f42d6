import type { Reference } from "./dialect.ts";
import { type Expression, expressionIn, inDialect, named, type Sql } from "./sql.ts";

/** The smaller of two values, null when either is null. The functions of that name differ from engine to engine. */
export const least = (a: Expression, b: Expression): Sql =>
  inDialect((dialect) => ordered(expressionIn(dialect, a), "<=", ">", expressionIn(dialect, b)));

/** The larger of two values, null when either is null. */
export const greatest = (a: Expression, b: Expression): Sql =>
  inDialect((dialect) => ordered(expressionIn(dialect, a), ">=", "<", expressionIn(dialect, b)));

function ordered(a: string, first: string, second: string, b: string): string {
  return `CASE WHEN ${a} ${first} ${b} THEN ${a} WHEN ${a} ${second} ${b} THEN ${b} END`;
}

/**
 * The items of a JSON list as a table: `JOIN ${each("f.params", "j")} ON true`, with `key`, from 0, and `value`, a string's text
 * or JSON. A null list has none. Numbers have to be cast.
 */
export const each = (json: Expression, alias: string): Sql => inDialect((dialect) => dialect.each(expressionIn(dialect, json), alias));

/** One item of a JSON list as text, counted from 0; null when there is none. */
export const item = (json: Expression, index: number | Sql): Sql =>
  inDialect((dialect) => dialect.item(expressionIn(dialect, json), typeof index === "number" ? String(index) : index.in(dialect)));

/** The texts of rows as a JSON list: of each row of `from` (tables with a condition) the value, in an order. */
export const jsonList = (value: Expression, from: Sql, order: Expression): Sql =>
  inDialect((dialect) => dialect.jsonList(expressionIn(dialect, value), from.in(dialect), expressionIn(dialect, order)));

/** Bytes as lower-case hex digits. */
export const hexOf = (bytes: Expression): Sql => one("hexOf", bytes);

/** A `time` as the reader of a view sees it: a timestamptz; in SQLite, which has no such type, text (2026-01-31T12:00:00.000Z). */
export const moment = (time: Expression): Sql => one("moment", time);

/** What `moment` gave, out of another view: of a type that tools can see. */
export const asMoment = (moment: Expression): Sql => one("asMoment", moment);

/** A `time` as milliseconds since 1970. */
export const msOfTime = (time: Expression): Sql => one("msOfTime", time);

/** Milliseconds since 1970 as a `time`. */
export const timeOfMs = (ms: Expression): Sql => one("timeOfMs", ms);

/** A `u64` as the reader of a view sees it: a number; in SQLite, where none is that large, text above 2^63 − 1. */
export const u64 = (value: Expression): Sql => one("u64", value);

/** Decimal text as the value of a `u64` column. */
export const u64Of = (text: Expression): Sql => one("u64Of", text);

export const bytesOf = (hex: Expression): Sql => one("bytesOf", hex);

/** How many bytes the database takes: a file, or the tables and indexes of the schema. */
export const databaseBytes: Sql = inDialect((dialect) => dialect.databaseBytes);

/** A value as text, compared byte by byte, of a type that tools can see in a view. */
export const asText = (value: Expression): Sql => one("asText", value);

/** A condition as the value of a column: a boolean, in SQLite 1 or 0. */
export const flag = (condition: Expression): Sql => one("flag", condition);

/** Digits with zeros before them, so many characters in all. */
export const zeroPadded = (digits: Expression, count: number): Sql =>
  inDialect((dialect) => dialect.zeroPadded(expressionIn(dialect, digits), count));

/**
 * The present moment as a `time`: by the clock of the database where several machines share one; of a file, whose clock is
 * the machine's own, the parameter `:now`, which therefore has to be given always.
 */
export const now: Sql = inDialect((dialect) => dialect.now);

/** A `time` and some milliseconds after it. */
export const later = (time: Expression, milliseconds: Expression): Sql =>
  inDialect((dialect) => dialect.later(expressionIn(dialect, time), expressionIn(dialect, milliseconds)));

/** At the end of a SELECT: its rows stay as they are until the transaction ends. A file has one writer at a time anyhow. */
export const forUpdate: Sql = inDialect((dialect) => dialect.forUpdate);

/** Keeps others from changing the rows of a SELECT until the transaction ends; these may be read, and kept so, by many at once. */
export const forShare: Sql = inDialect((dialect) => dialect.forShare);

/** Blocks `forUpdate` and `skipLocked` on a row until the transaction ends, and nothing else: its values may change meanwhile. */
export const forKeyShare: Sql = inDialect((dialect) => dialect.forKeyShare);

/** As `forUpdate`, leaving out rows that another transaction holds. */
export const skipLocked: Sql = inDialect((dialect) => dialect.skipLocked);

/**
 * A statement that gives no rows and lets PostgreSQL count those of a table, after a transaction has filled or emptied it: left to what it
 * counted before, it reads a large table as a whole for each row of another. SQLite counts when a database is closed.
 */
export const countRows = (table: string): Sql => inDialect((dialect) => dialect.countRows(named(table).in(dialect)));

/** Blocks other writers of a table until the transaction ends; readers do not wait. A file has one writer at a time anyway. */
export const lockToWrite = (table: string): Sql => inDialect((dialect) => dialect.lockToWrite(named(table).in(dialect)));

/** Makes a server check a reference, if it does not do so yet: all rows that are there, and each new one. */
export const addReference = (reference: Reference): Sql => inDialect((dialect) => dialect.addReference(reference));

/** Makes a server check it no longer. */
export const dropReference = (reference: Reference): Sql => inDialect((dialect) => dialect.dropReference(reference));

type Unary = "hexOf" | "moment" | "asMoment" | "msOfTime" | "timeOfMs" | "u64" | "u64Of" | "bytesOf" | "asText" | "flag";

function one(name: Unary, a: Expression): Sql {
  return inDialect((dialect) => dialect[name](expressionIn(dialect, a)));
}
