import { readFileSync } from "node:fs";

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

function readJournal(folder: string): readonly { readonly tag: string; readonly when: number }[] {
  return JSON.parse(readFileSync(`${folder}/meta/_journal.json`, "utf8")).entries;
}
