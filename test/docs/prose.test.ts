import { describe, expect, test } from "vitest";
import { readPages } from "./support/pages.ts";
import { sentencesOf, wordsIn } from "./support/sentences.ts";

const mostWords = 35;
const medianWords = 16;

describe("the prose of the documentation", () => {
  test.each(readPages())("$path is in short sentences", (page) => {
    const sentences = sentencesOf(page);
    expect(sentences.filter((sentence) => wordsIn(sentence) > mostWords)).toEqual([]);
    const lengths = sentences.map(wordsIn).toSorted((a, b) => a - b);
    expect(lengths[Math.floor(lengths.length / 2)] ?? 0).toBeLessThanOrEqual(medianWords);
  });

  test("would notice a long sentence", () => {
    const words = Array.from({ length: mostWords + 1 }, () => "Word").join(" ");
    expect(sentencesOf({ path: "x.md", text: `# Head\n\nShort. ${words}.\n\n| ${words} |\n` }).map(wordsIn)).toEqual([1, mostWords + 1]);
  });
});
