import { int, text } from "../column.ts";
import type { TableData } from "../table.ts";

/** What the database says of itself. It is made with the views, and is public as they are. */
export const documentationTables = {
  documentation: {
    name: "documentation",
    meaning: "Every view and table with its columns, and what each means",
    columns: {
      relation: text("the view or table"),
      kind: text("view or table"),
      position: int("position of the column, from 0"),
      column_name: text("the column"),
      type: text("its type"),
      meaning: text("what it holds"),
    },
    key: ["relation", "position"],
    isInOrderOfWriting: true,
  },
} as const satisfies Record<string, TableData>;
