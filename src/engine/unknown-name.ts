import { printable } from "../base/printable.ts";
import { didYouMean, nearestNames } from "../base/similar-names.ts";
import { type RelationDocument, relations } from "../schema/documentation.ts";
import { StoreError } from "./errors.ts";

/**
 * How SQLite and PostgreSQL say that they know no such name. The name stands nowhere but in the text, and SQLite has no code of its own for
 * it either. A miss costs no more than the hint.
 */
const UNKNOWN = /(?:no such (table|column): |(relation|column) )"?(?:\w+\.)*(\w+)"?/;

/** How many views are named that have a column. */
const NAMED = 3;

/** The failure of a user's statement, with what may have been meant where it names a view or column that there is not. */
export function withNameHint(error: unknown, sql: string): unknown {
  if (!(error instanceof StoreError) || error.code !== "MOVEDEX_STORE_QUERY") return error;
  const [, sqlite, postgres, name] = UNKNOWN.exec(error.message) ?? [];
  if (name === undefined) return error;
  const hint = (sqlite ?? postgres) === "column" ? columnHint(name, sql) : relationHint(name);
  if (hint === "") return error;
  return new StoreError(error.code, `${error.message}.${hint}`, { facts: { ...error.facts, unknown: name }, cause: error.cause });
}

function relationHint(name: string): string {
  const near = nearestNames(name, namesOf(relations));
  return didYouMean(near) || " `movedex schema` lists the views.";
}

function columnHint(name: string, sql: string): string {
  const words = new Set(sql.toLowerCase().match(/\w+/g));
  const named = relations.filter((relation) => words.has(relation.name));
  const near = didYouMean(nearestNames(name, columnsOf(named)));
  if (near !== "") return near;
  const others = relations.filter((one) => one.kind === "view" && columnsOf([one]).includes(name.toLowerCase()));
  if (others.length > 0) return ` These views have a column \`${name}\`: ${namesOf(others).slice(0, NAMED).join(", ")}.`;
  return named.length === 0 ? "" : ` The columns of ${namesOf(named)[0]}: ${printable(columnsOf(named.slice(0, 1)).join(", "), 1000)}.`;
}

function namesOf(chosen: readonly RelationDocument[]): string[] {
  return chosen.map(({ name }) => name);
}

function columnsOf(chosen: readonly RelationDocument[]): string[] {
  return chosen.flatMap(({ columns }) => columns.map(({ column }) => column));
}
