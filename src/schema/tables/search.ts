import { text } from "../column.ts";
import { tablesOf } from "../table.ts";

export const searchTables = tablesOf({
  search_words: {
    meaning: "Search index: the words by which names of modules, functions, structs and errors are found",
    columns: {
      word: text("in lower case, at most 128 characters: of the name, of a struct's fields and variants, of an error's text"),
      name: text("the name"),
    },
    key: ["word", "name"],
  },
});
