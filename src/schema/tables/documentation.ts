import type { TableData } from "../table.ts";

/** What the database says of itself. It is made with the views, and is public as they are. */
export const documentationTables = {
  documentation: {
    name: "documentation",
    meaning: "Every view and table with its columns, and what each means",
    columns: {
      relation: { kind: "text", meaning: "the view or table" },
      kind: { kind: "text", meaning: "view or table" },
      position: { kind: "int", meaning: "position of the column, from 0" },
      column_name: { kind: "text", meaning: "the column" },
      type: { kind: "text", meaning: "its type" },
      meaning: { kind: "text", meaning: "what it holds" },
    },
    key: ["relation", "position"],
    isInOrderOfWriting: true,
  },
} as const satisfies Record<string, TableData>;
