import type { Cell } from "../../../base/cell.ts";
import { LEDGER_VERSION_MAX } from "../../../base/u64.ts";
import { parsePlaceholders } from "../../../schema/sql/parameters.ts";
import { assertGiven } from "../../given-parameters.ts";
import type { SqlParameters } from "../../query-door.ts";
import type { Question } from "../driver.ts";

/** The user's statement, sent so that the server takes it for one statement or refuses it. `textAt` marks a parameter that is a text. */
export function toQuestion(sql: string, parameters: SqlParameters, textAt: (place: string) => string): Question {
  const how = { rowMode: "array", queryMode: "extended", types: { getTypeParser: readerOf } } as const;
  if (Array.isArray(parameters)) return { text: sql, values: parameters.map(toSent), ...how };
  assertGiven(sql, parameters);
  const named = parameters as Readonly<Record<string, Cell>>;
  const { texts, names } = parsePlaceholders(sql);
  const places = [...new Set(names)];
  // Texts are compared byte by byte, as all of movedex's columns are. What else a value is the server finds out by where it stands.
  const text = texts.reduce((before, next, i) => {
    const name = names[i - 1] as string;
    const place = `$${places.indexOf(name) + 1}`;
    return before + (typeof named[name] === "string" ? textAt(place) : place) + next;
  });
  return { text, values: places.map((name) => toSent(named[name] as Cell)), ...how };
}

/** A time in UTC, as the session has it, as SQLite's views print one: `2026-01-31 12:00:00.5+00` is 2026-01-31T12:00:00.500Z. */
function isoTime(text: string): string {
  const [, day, second, fraction = ""] = /^(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${second}.${fraction.padEnd(3, "0")}Z`;
}

function toSent(value: Cell): string | Uint8Array | null {
  return value === null || value instanceof Uint8Array ? value : String(value);
}

/** Values as those of SQLite are, so that an answer does not depend on the engine. By the numbers of the types in pg_type. */
function readerOf(type: number): (text: string) => Cell {
  return readers[type] ?? String;
}

const readers: Readonly<Record<number, (text: string) => Cell>> = {
  16: (text) => (text === "t" ? 1n : 0n),
  17: (text) => Buffer.from(text.slice(2), "hex"),
  20: BigInt,
  21: BigInt,
  23: BigInt,
  26: BigInt,
  700: Number,
  701: Number,
  1184: isoTime,
  1700: (text) => {
    if (!/^-?\d+$/.test(text)) return Number(text);
    const value = BigInt(text);
    return value > LEDGER_VERSION_MAX ? text : value;
  },
};
