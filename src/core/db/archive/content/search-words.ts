import { allFields, type StructAbi } from "../../../abi/model.ts";
import { wordsOf } from "../../../base/names.ts";
import type { Transaction } from "../../engine/engine.ts";
import { contentTurn, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";

const WORD_LENGTH_MAX = 128;
/** Longer names are not in the index: PostgreSQL's indexes take no more than 2,700 bytes, and identifiers have at most 255. */
const NAME_LENGTH_MAX = 255;
/** Words of one text: the text of an error may be a book. */
const WORDS_MAX = 10_000;
/** Texts to remember as indexed: names repeat from module to module. */
const REMEMBERED_MAX = 40_000;

const insert = sql`INSERT INTO _search_words (word, name) SELECT ${jsonItem("j.value", 0)}, ${jsonItem("j.value", 1)}
  FROM ${jsonEach(":rows::json", "j")} WHERE TRUE ON CONFLICT DO NOTHING`;
const clear = sql`DELETE FROM _search_words`;

/** All names with the texts that they are found by, read like a table. */
export const searchTexts = sql`(SELECT name, name AS text FROM _modules UNION SELECT name, name FROM _functions UNION SELECT name, name FROM _structs
  UNION SELECT s.name, v.name FROM _structs s JOIN _struct_variants v ON v.struct_id = s.id
  UNION SELECT s.name, f.name FROM _structs s JOIN _struct_fields f ON f.struct_id = s.id
  UNION SELECT name, name FROM _error_codes UNION SELECT name, description FROM _error_codes) AS texts`;
const allTexts = sql<[name: string, text: string]>`SELECT name, text FROM ${searchTexts}`;

export function indexedWords(name: string, text: string): readonly string[] {
  if (name.length > NAME_LENGTH_MAX) return [];
  return [...new Set(wordsOf(text).map(cutWord))].slice(0, WORDS_MAX);
}

export function cutWord(word: string): string {
  return word.slice(0, WORD_LENGTH_MAX).toWellFormed();
}

/** Writes the index of words beside the rows that it follows from, in their transaction. */
export class SearchWords {
  /** Names, which are found by themselves, with the other texts that they are found by; undefined where there are none. */
  readonly #seen = new Map<string, Set<string> | undefined>();
  #count = 0;
  #rows: (readonly [word: string, name: string])[] = [];

  add(name: string, texts: readonly string[] = []): void {
    if (!this.#seen.has(name)) {
      this.#index(name, name);
      this.#seen.set(name, undefined);
    }
    if (texts.length === 0) return;
    const seen = this.#seen.get(name) ?? new Set<string>();
    for (const text of texts) {
      if (text === name || seen.has(text)) continue;
      this.#index(name, text);
      this.#seen.set(name, seen.add(text));
    }
  }

  #index(name: string, text: string): void {
    for (const word of indexedWords(name, text)) this.#rows.push([word, name]);
    if (++this.#count > REMEMBERED_MAX) this.#forgetTexts();
  }

  #forgetTexts(): void {
    this.#seen.clear();
    this.#count = 0;
  }

  async write(tx: Transaction): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length > 0) await tx.run(insert, { rows: JSON.stringify(rows) });
  }

  async rebuild(tx: Transaction): Promise<void> {
    this.forget();
    await tx.run(clear);
    for (const [name, text] of await tx.all(allTexts)) {
      this.add(name, [text]);
      if (this.#rows.length >= WORDS_MAX) await this.write(tx);
    }
    await this.write(tx);
  }

  forget(): void {
    this.#forgetTexts();
    this.#rows = [];
  }
}

/** Makes the index that a migration has left empty. */
export async function makeMissingIndex(tx: Transaction): Promise<void> {
  await tx.all(contentTurn);
  await new SearchWords().rebuild(tx);
}

export function structTexts(abi: StructAbi): readonly string[] {
  return [abi, ...abi.variants, ...allFields(abi)].map(({ name }) => name);
}
