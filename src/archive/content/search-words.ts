import { runsOf, wordsOf } from "../../base/search-tokens.ts";
import type { Transaction } from "../../engine/engine.ts";
import { sql } from "../../schema/sql/sql.ts";
import { searchTables } from "../../schema/tables/search.ts";
import type { StructRow } from "./abi-rows.ts";

/** What can be searched for. The place in the list is the kind's number in the index: append only. */
export const searchKinds = ["module", "function", "struct", "error"] as const;

export type SearchKind = (typeof searchKinds)[number];

/** Longer words are cut: PostgreSQL's index takes no more than 2,700 bytes. */
export const WORD_LENGTH_MAX = 128;

/** Words of one item: the text of an error may be a book. */
const WORDS_MAX = 10_000;

/** Names to remember as indexed. Names repeat from module to module; writing one twice does no harm. */
const REMEMBERED_MAX = 20_000;

const modulesNow = sql`SELECT id, name FROM _modules`;
const clear = sql`DELETE FROM _search_words`;

/** Writes the index of words beside the rows that it follows from, in their transaction. */
export class SearchWords {
  readonly #seen = { module: new Set<string>(), function: new Set<string>(), struct: new Set<string>() };
  #cells: (string | number)[] = [];

  /** Gathers the words of a new row: of a module, function or struct unless another has the same texts. */
  add(kind: SearchKind, id: number, texts: readonly string[]): void {
    if (kind !== "error") {
      const seen = this.#seen[kind];
      const key = texts.join("\n");
      if (seen.has(key)) return;
      if (seen.size >= REMEMBERED_MAX) seen.clear();
      seen.add(key);
    }
    const number = searchKinds.indexOf(kind);
    for (const word of indexedWords(texts)) this.#cells.push(number, word, id);
  }

  /** Writes what was gathered. */
  async write(tx: Transaction): Promise<void> {
    const cells = this.#cells;
    this.#cells = [];
    if (cells.length > 0) await tx.bulk(searchTables.search_words, { cells });
  }

  /** Leaves the words of modules' names and nothing else, where all other rows are made anew. */
  async clear(tx: Transaction): Promise<void> {
    this.forget();
    await tx.run(clear);
    for (const [id, name] of await tx.all<[id: number, name: string]>(modulesNow)) this.add("module", id, [name]);
    await this.write(tx);
  }

  /** Forgets what is in the index, after a transaction that was rolled back. */
  forget(): void {
    for (const seen of Object.values(this.#seen)) seen.clear();
    this.#cells = [];
  }
}

export function structTexts({ abi }: StructRow): readonly string[] {
  const fields = [...abi.fields, ...abi.variants.flatMap((variant) => variant.fields)];
  return [abi.name, ...abi.variants.map(({ name }) => name), ...fields.map(({ name }) => name)];
}

/** A whole name as the index has it, beside its words: no word has its first character. It is found by how it begins, too. */
export function wholeName(runs: readonly string[]): string {
  return `=${runs.join(" ")}`.slice(0, WORD_LENGTH_MAX);
}

/** The words of texts, each once, as the index has them; the first text is a name, which is in it as a whole, too. */
export function indexedWords(texts: readonly string[]): ReadonlySet<string> {
  const words = new Set([wholeName(runsOf(texts[0] ?? ""))]);
  for (const text of texts) {
    for (const word of wordsOf(text)) {
      words.add(word.slice(0, WORD_LENGTH_MAX));
      if (words.size === WORDS_MAX) return words;
    }
  }
  return words;
}
