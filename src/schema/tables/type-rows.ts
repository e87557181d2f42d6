import type { TableData } from "../table.ts";
import { id, otherModule, type } from "./derived-columns.ts";

export const typeTables = {
  types: {
    name: "_types",
    meaning: "Types that parameters, results and fields have, each once",
    columns: { id, text: { kind: "text", meaning: "the type as the node prints it" } },
    key: ["id"],
    indexes: [{ columns: ["text"], unique: true, isLong: true }],
  },
  type_structs: {
    name: "_type_structs",
    meaning: "Structs that a type mentions, at any depth",
    columns: {
      type_id: type,
      module_id: { ...otherModule, meaning: "the struct's module" },
      struct: { kind: "text", meaning: "name of the struct" },
    },
    key: ["type_id", "module_id", "struct"],
    indexes: [{ columns: ["struct", "module_id"] }, { columns: ["module_id"] }],
  },
} as const satisfies Record<string, TableData>;
