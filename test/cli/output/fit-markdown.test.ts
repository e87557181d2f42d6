import { expect, test } from "vitest";
import { fitMarkdown } from "../../../src/cli/output/fit-markdown.ts";

test("prose and items are broken between words, code and what fits are left as they are", () => {
  const text = "# One heading of words\n\n- an item of many words\n\n  ```diff\n  - a line of code, however long it is\n  ```\nshort";
  expect(fitMarkdown(text, 24)).toBe(
    "# One heading of words\n\n- an item of many words\n\n  ```diff\n  - a line of code, however long it is\n  ```\nshort",
  );
  expect(fitMarkdown("- an item of many more words than fit", 26)).toBe("- an item of many more\n  words than fit");
});
