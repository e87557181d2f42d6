import { flag as asFlag } from "../sql/functions.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { contentTables } from "../tables/content.ts";
import { functionColumns } from "./functions.ts";
import { structColumns } from "./structs.ts";
import { columnsOf, flag, hexText, integer, text, type ViewData, view } from "./view.ts";

const named = {
  bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits", hexText("b.sha256")),
  address: text("account of the module, as named in the bytes; null if they cannot be read", "a.address"),
  module: text("name of the module, as in the bytes; null if they cannot be read", "m.name"),
  is_in_snapshots: flag(
    "is in a snapshot; if not, it was imported as a file, only seen by trace, or belongs to an unfinished snapshot",
    asFlag(sql`EXISTS (SELECT 1 FROM _listing_modules l WHERE l.bytecode_id = b.id)`),
  ),
};
const from = (items: Sql): Sql => sql`FROM _bytecodes b LEFT JOIN _abis x ON x.id = b.abi_id LEFT JOIN _modules m ON m.id = x.module_id
  LEFT JOIN _addresses a ON a.id = m.address_id${items}`;

/** Bytecode by what it is, not by where and when it stood: that of imported files too, which no snapshot shows. */
export const heldViews: readonly ViewData[] = [
  view({
    name: "bytecodes_held",
    meaning: "Every stored bytecode, in a snapshot or not; no other view of modules includes imported files",
    of: "b",
    columns: {
      ...named,
      bytecode_size: integer("size of the bytecode in bytes", "b.size"),
      ...columnsOf(contentTables.bytecodes, "bytecode_version"),
    },
    from: from(sql``),
  }),
  view({
    name: "functions_held",
    meaning: "Functions of every stored bytecode",
    of: "f",
    columns: { ...named, ...functionColumns },
    from: from(sql` JOIN _abi_functions l ON l.abi_id = b.abi_id JOIN _functions f ON f.id = l.function_id`),
  }),
  view({
    name: "structs_held",
    meaning: "Structs and enums of every stored bytecode",
    of: "st",
    columns: { ...named, ...structColumns, name: text("name of the struct or enum") },
    from: from(sql` JOIN _abi_structs l ON l.abi_id = b.abi_id JOIN _structs st ON st.id = l.struct_id`),
  }),
];
