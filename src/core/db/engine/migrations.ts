import { readFileSync } from "node:fs";
import { packageFile } from "../../base/files.ts";
import type { Dialect } from "../schema/sql/sql.ts";

/** A migration that drizzle-kit generated: its file's name, when it was made, and what it says. */
export type Migration = { readonly tag: string; readonly when: number; readonly text: string; readonly statements: readonly string[] };

export function migrationTimesIn(folder: string): readonly number[] {
  return readJournal(folder).map(({ when }) => when);
}

export function readMigrations(folder: string): readonly Migration[] {
  return readJournal(folder).map(({ tag, when }) => {
    const text = readFileSync(`${folder}/${tag}.sql`, "utf8");
    return { tag, when, text, statements: text.split("--> statement-breakpoint") };
  });
}

/** The tables that a migration changes, but for those that it makes anew under another name first. */
const CHANGED = /\b(?:(?:ALTER|DROP) TABLE|UPDATE|DELETE FROM|INDEX \S+ ON) ["`]?(?!__new_)(\w+)/g;

/**
 * What of a migration a database gets that has some tables. A capability's bears its name (`0008_of_watch_…`): where nothing is there
 * that it changes, the capability was never there, and `addTables` makes its tables as they are at last.
 */
export function statementsFor({ tag, text, statements }: Migration, tables: readonly string[]): readonly string[] {
  const isWanted = !/^\d+_of_/.test(tag) || Array.from(text.matchAll(CHANGED)).some(([, name = ""]) => tables.includes(name));
  return isWanted ? statements : [];
}

/** What makes some tables as all migrations leave them, with their indexes and references. `npm run docs` writes the files. */
export function tableStatements(dialect: Dialect, names: readonly string[]): readonly string[] {
  const statements = readFileSync(packageFile(`migrations/${dialect}-tables.sql`), "utf8").split(/(?<=;\n)(?=CREATE |ALTER )/);
  const isOf = /^(?:CREATE TABLE|ALTER TABLE|CREATE (?:UNIQUE )?INDEX \S+ ON) ["`]?(\w+)/;
  return statements.filter((statement) => names.includes(isOf.exec(statement)?.[1] ?? ""));
}

function readJournal(folder: string): readonly { readonly tag: string; readonly when: number }[] {
  return JSON.parse(readFileSync(`${folder}/meta/_journal.json`, "utf8")).entries;
}
