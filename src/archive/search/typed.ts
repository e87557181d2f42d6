import { runsOf } from "../../base/search-tokens.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { WORD_LENGTH_MAX } from "../content/search-words.ts";

/** More words than this say nothing more. */
const WORDS_MAX = 12;

/** More than this is no search. */
const TEXT_MAX = 10_000;

/** What to look for in a text that a person typed: its words in lower case, and the account when one is named (`0x1::coin`). */
export function parseWords(text: string): { readonly words: readonly string[]; readonly address: Address | undefined } {
  const runs = runsOf(text.slice(0, TEXT_MAX));
  const address = runs.filter((run) => run.startsWith("0x")).map(parseAddress)[0];
  const words = runs.filter((run) => parseAddress(run) === undefined || !run.startsWith("0x"));
  return { words: [...new Set(words.map((word) => word.slice(0, WORD_LENGTH_MAX)))].slice(0, WORDS_MAX), address };
}
