import { int, text } from "../column.ts";
import { tablesOf } from "../table.ts";

export const searchTables = tablesOf({
  search_words: {
    meaning:
      "Search index: words of names and error texts, and whole names, in lower case; a name that several rows share is listed for one of them",
    columns: {
      kind: int("0 for modules, 1 for functions, 2 for structs, 3 for error codes"),
      word: text("the first 128 characters of the word; after = a whole name, its parts separated by spaces"),
      item_id: int("number of the module, function, struct or error code"),
    },
    key: ["kind", "word", "item_id"],
  },
});
