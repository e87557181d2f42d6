import { bytes, id, int, json, orNull, reference, text } from "../column.ts";
import { type TableData, tablesOf } from "../table.ts";

/** What modules are, stored once however many versions, accounts or snapshots show it. */
export const contentTables = tablesOf({
  addresses: {
    meaning: "Account addresses that other tables refer to",
    columns: { id, address: text("the address as the node prints it (0x1)") },
    indexes: [{ columns: ["address"], unique: true }],
  },
  modules: {
    meaning: "Names of modules that ABIs refer to, crawled or not",
    columns: {
      id,
      address_id: reference("_addresses", "account that holds the module"),
      name: text("the module's name"),
    },
    indexes: [{ columns: ["address_id", "name"], unique: true }, { columns: ["name", "address_id"] }],
    isBulk: true,
  },
  bytecodes: {
    meaning: "Module bytecode, stored once per SHA-256",
    columns: {
      id,
      sha256: bytes("SHA-256 of the plain bytes"),
      size: int("plain size in bytes"),
      bytecode_version: orNull(int("version of the binary format; null if the bytes do not say")),
      derived_by: orNull(
        text("what derived the ABI's rows, or tried to: movedex, or node if they come from node_abi, and the revision; null until then"),
      ),
      node_abi: orNull(json("the ABI as a node printed it, for bytes that movedex could not decode when it read them; usually null")),
      error_code: orNull(text("code of the decoding error")),
      error_offset: orNull(int("byte offset of the decoding error")),
      error_message: orNull(text("message of the decoding error")),
      abi_id: orNull(reference("_abis", "the ABI; null if there is none")),
    },
    indexes: [{ columns: ["sha256"], unique: true }, { columns: ["id"], where: "derived_by IS NULL" }, { columns: ["abi_id"] }],
  },
  bytecode_blobs: {
    meaning: "The bytes of bytecodes, apart from their other columns, which are read far more often and updated when the ABI is derived",
    columns: {
      id: reference("_bytecodes", "number of the bytecode"),
      code: { ...bytes("the bytes, compressed with zstd"), isCompressed: true },
      base_id: orNull(
        reference("_bytecodes", "another bytecode whose plain bytes are the dictionary for decompression; null if there is none"),
      ),
    },
    isBulk: true,
  },
});

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
