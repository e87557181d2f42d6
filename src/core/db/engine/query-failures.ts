import { didYouMean, nearestNames } from "../../base/names.ts";
import { printable } from "../../base/printable.ts";
import { type RelationDocument, relations } from "../schema/documentation.ts";
import { StoreError } from "./errors.ts";
import { NO_QUERY } from "./sql-session.ts";

/** How SQLite and PostgreSQL say that they know no such name. The name is in the text alone; a miss costs only the hint. */
const UNKNOWN = /(?:no such (table|column): |(relation|column) )"?(?:\w+\.)*(\w+)"?/;

/** What may have been meant: the tables behind the views are nobody's to ask. */
const views = relations.filter(({ kind }) => kind === "view");

const NAMED = 3;

/** How the two say where a statement stops making sense: at a word, or at its end. */
const SYNTAX = /near "(.+?)": syntax error|syntax error at or near "(.+?)"/s;
/** The words that begin what is no question, behind comments. Each comment is looked ahead at, so that it is read in one way only. */
const CHANGES =
  /^(?:(?=(\s+|;|--[^\n]*|\/\*.*?\*\/))\1)*(?:alter|analyze|attach|begin|call|commit|copy|create|delete|detach|do|drop|explain|grant|insert|lock|merge|pragma|reindex|replace|revoke|rollback|set|show|truncate|update|vacuum)\b/is;

const CUT_OFF = /incomplete input|syntax error at end of input/;

/** The failure of a user's statement in the same words for both engines, with what may have been meant by an unknown view or column. */
export function rewordFailure(error: unknown, sql: string): unknown {
  if (!(error instanceof StoreError) || error.code !== "MOVEDEX_STORE_QUERY") return error;
  const say = (words: string, facts = {}): StoreError =>
    new StoreError("MOVEDEX_STORE_QUERY", `the query failed: ${words}`, { facts: { ...error.facts, ...facts }, cause: error.cause });
  if (CHANGES.test(sql)) return new StoreError("MOVEDEX_STORE_QUERY", NO_QUERY, { cause: error.cause });
  if (CUT_OFF.test(error.message)) return say("it ends before it is complete");
  const near = SYNTAX.exec(error.message);
  const word = near?.[1] ?? near?.[2];
  if (word !== undefined) return say(`syntax error near \`${word}\``);
  const [, sqlite, postgres, name] = UNKNOWN.exec(error.message) ?? [];
  if (name === undefined) return error;
  const isColumn = (sqlite ?? postgres) === "column";
  const hint = isColumn ? columnHint(name, sql) : relationHint(name);
  return say(`there is no ${isColumn ? "column" : "view or table"} \`${name}\`${hint === "" ? "" : `.${hint}`}`, { unknown: name });
}

function relationHint(name: string): string {
  const near = nearestNames(name, namesOf(views));
  return didYouMean(near) || " `movedex schema` lists the views.";
}

function columnHint(name: string, sql: string): string {
  const words = new Set(sql.toLowerCase().match(/\w+/g));
  const named = views.filter((view) => words.has(view.name));
  const having = (chosen: readonly RelationDocument[]) => chosen.filter((view) => columnsOf([view]).includes(name.toLowerCase()));
  // Another of the views than the one that was asked, by its alias or inside of WITH.
  const own = having(named);
  const near = own.length > 0 ? "" : didYouMean(nearestNames(name, columnsOf(named)));
  if (near !== "") return near;
  const others = own.length > 0 ? own : having(views);
  if (others.length > 0) return ` These views have a column \`${name}\`: ${namesOf(others).slice(0, NAMED).join(", ")}.`;
  return named.length === 0 ? "" : ` The columns of ${namesOf(named)[0]}: ${printable(columnsOf(named.slice(0, 1)).join(", "), 1000)}.`;
}

function namesOf(chosen: readonly RelationDocument[]): string[] {
  return chosen.map(({ name }) => name);
}

function columnsOf(chosen: readonly RelationDocument[]): string[] {
  return chosen.flatMap(({ columns }) => columns.map(({ column }) => column));
}
