import { flag as asFlag } from "../sql/functions.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { flag, hexText, integer, text, type ViewData } from "./view.ts";

const named = {
  bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits"),
  address: text("account of the module, as named in the bytes; null if they cannot be read"),
  module: text("name of the module, as in the bytes; null if they cannot be read"),
  is_in_snapshots: flag("is in a snapshot; if not, it was imported as a file, only seen by trace, or belongs to an unfinished snapshot"),
};
const names = sql`${hexText("b.sha256")} AS bytecode_sha256, a.address, m.name AS module,
  ${asFlag(sql`EXISTS (SELECT 1 FROM _listing_modules l WHERE l.bytecode_id = b.id)`)} AS is_in_snapshots`;
const bytecodes = sql`FROM _bytecodes b LEFT JOIN _abis x ON x.id = b.abi_id LEFT JOIN _modules m ON m.id = x.module_id
  LEFT JOIN _addresses a ON a.id = m.address_id`;
const select = (values: Sql, from: Sql): Sql => sql`SELECT ${names}, ${values} ${from}`;

/** Bytecode by what it is, not by where and when it stood: that of imported files too, which no snapshot shows. */
export const heldViews: readonly ViewData[] = [
  {
    name: "bytecodes_held",
    meaning: "Every stored bytecode, in a snapshot or not; no other view of modules includes imported files",
    columns: {
      ...named,
      bytecode_size: integer("size of the bytecode in bytes"),
      bytecode_version: integer("version of the binary format; null if the bytes do not say"),
    },
    select: select(sql`b.size AS bytecode_size, b.bytecode_version`, bytecodes),
  },
  {
    name: "functions_held",
    meaning: "Functions of every stored bytecode",
    columns: {
      ...named,
      name: text("name of the function"),
      visibility: text("private, friend or public"),
      is_entry: flag("can be called directly by a transaction"),
      is_view: flag("is a view function"),
      is_native: flag("is native: implemented by the node"),
      signature: text("the declaration on one line"),
    },
    select: select(
      sql`f.name, f.visibility, f.is_entry, f.is_view, f.is_native, f.signature`,
      sql`${bytecodes} JOIN _abi_functions l ON l.abi_id = b.abi_id JOIN _functions f ON f.id = l.function_id`,
    ),
  },
  {
    name: "structs_held",
    meaning: "Structs and enums of every stored bytecode",
    columns: {
      ...named,
      name: text("name of the struct or enum"),
      is_native: flag("is native: implemented by the node"),
      is_event: flag("is marked as an event"),
      is_enum: flag("is an enum"),
      has_copy: flag("has the ability copy"),
      has_drop: flag("has the ability drop"),
      has_store: flag("has the ability store"),
      has_key: flag("has the ability key"),
    },
    select: select(
      sql`st.name, st.is_native, st.is_event, st.is_enum, st.has_copy, st.has_drop, st.has_store, st.has_key`,
      sql`${bytecodes} JOIN _abi_structs l ON l.abi_id = b.abi_id JOIN _structs st ON st.id = l.struct_id`,
    ),
  },
];
