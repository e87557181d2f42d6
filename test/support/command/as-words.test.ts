import { expect, test } from "vitest";
import { asWords } from "./as-words.ts";

test("parts words at white space, over lines too, and takes a value that stands alone as one word", () => {
  expect(asWords`
    sync --db ${"a night.db"}
    --rate ${0} ${""}
  `).toEqual(["sync", "--db", "a night.db", "--rate", "0", ""]);
});

test("takes a value beside letters as a part of their word, and a list as its words", () => {
  expect(asWords`/v1/${"a"}?x=${1}&y=${2n} ${["one", "two words"]} end`).toEqual(["/v1/a?x=1&y=2", "one", "two words", "end"]);
});

test("takes a backslash as it stands", () => {
  expect(asWords`/..\admin \ 0x1`).toEqual(["/..\\admin", "\\", "0x1"]);
});
