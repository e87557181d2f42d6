import type { TableData } from "../table.ts";

/** The index of `movedex search`. */
export const searchTables = {
  search_words: {
    name: "_search_words",
    meaning:
      "Words of names and error texts, and whole names, in lower case, and what has them; a name that several rows have is here for one of them",
    columns: {
      kind: { kind: "int", meaning: "0 for modules, 1 for functions, 2 for structs, 3 for error codes" },
      word: { kind: "text", meaning: "the word, its first 128 characters; after = a whole name, its parts between spaces" },
      item_id: { kind: "int", meaning: "number of the module, function, struct or error code" },
    },
    key: ["kind", "word", "item_id"],
  },
} as const satisfies Record<string, TableData>;
