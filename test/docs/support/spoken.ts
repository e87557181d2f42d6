import { sentencesOf, wordsIn } from "./sentences.ts";

/** Commands whose output is what was asked for: source, rows, documents that others wrote. */
const DATA = new Set(["query", "show", "decode", "schema", "cookbook", "completions", "init", "diff", "help"]);
const MOST_WORDS = 35;

/**
 * Sentences of a command's output that are longer than the rule: what the texts of the source become when they are put together. Names,
 * numbers and lines of tables are no words.
 */
export function longSentences(argv: readonly string[], printed: string): string[] {
  if (
    DATA.has(argv[0] ?? "") ||
    argv.some((word) => /^--(?:json|jsonl|format|help|markdown)$|^-[fh]$/.test(word)) ||
    printed.length > 100_000
  )
    return [];
  const lines = printed.split("\n").filter((line) => !/\S {2,}\S|^[[{|]/.test(line));
  return lines
    .flatMap((line) => sentencesOf({ path: "", text: line.replaceAll(/\S*(?:::|[\d`/=_]|\.\.)\S*/g, " ") }))
    .filter((sentence) => wordsIn(sentence) > MOST_WORDS);
}
