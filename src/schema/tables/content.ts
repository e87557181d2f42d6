import type { TableData } from "../table.ts";

const id = { kind: "int", meaning: "number of the row inside this database" } as const;

/** What modules are, stored once however many versions, accounts or snapshots show it. */
export const contentTables = {
  addresses: {
    name: "_addresses",
    meaning: "Account addresses that other tables refer to",
    columns: { id, address: { kind: "text", meaning: "the address as the node prints it (0x1)" } },
    key: ["id"],
    indexes: [{ columns: ["address"], unique: true }],
  },
  modules: {
    name: "_modules",
    meaning: "Names of modules that ABIs refer to, crawled or not",
    columns: {
      id,
      address_id: { kind: "int", meaning: "account that holds the module", references: "_addresses" },
      name: { kind: "text", meaning: "the module's name" },
    },
    key: ["id"],
    indexes: [{ columns: ["address_id", "name"], unique: true }, { columns: ["name", "address_id"] }],
    isBulk: true,
  },
  bytecodes: {
    name: "_bytecodes",
    meaning: "Module bytecode, stored once per SHA-256",
    columns: {
      id,
      sha256: { kind: "bytes", meaning: "SHA-256 of the plain bytes" },
      size: { kind: "int", meaning: "plain size in bytes" },
      bytecode_version: { kind: "int", meaning: "version of the binary format; null if the bytes do not say", nullable: true },
      derived_by: {
        kind: "text",
        meaning: "what derived the ABI's rows, or tried to: movedex, or node if they come from node_abi, and the revision; null until then",
        nullable: true,
      },
      node_abi: {
        kind: "json",
        meaning: "the ABI as a node printed it, for bytes that movedex could not decode when it read them; usually null",
        nullable: true,
      },
      error_code: { kind: "text", meaning: "code of the decoding error", nullable: true },
      error_offset: { kind: "int", meaning: "byte offset of the decoding error", nullable: true },
      error_message: { kind: "text", meaning: "message of the decoding error", nullable: true },
      abi_id: { kind: "int", meaning: "the ABI; null if there is none", nullable: true, references: "_abis" },
    },
    key: ["id"],
    indexes: [{ columns: ["sha256"], unique: true }, { columns: ["id"], where: "derived_by IS NULL" }, { columns: ["abi_id"] }],
  },
  bytecode_blobs: {
    name: "_bytecode_blobs",
    meaning: "The bytes of bytecodes, apart from their other columns, which are read far more often and updated when the ABI is derived",
    columns: {
      id: { kind: "int", meaning: "number of the bytecode", references: "_bytecodes" },
      code: {
        kind: "bytes",
        isCompressed: true,
        meaning: "the bytes, compressed with zstd",
      },
      base_id: {
        kind: "int",
        meaning: "the older bytecode whose plain bytes are the dictionary for decompression; null if there is none",
        nullable: true,
        references: "_bytecodes",
      },
    },
    key: ["id"],
    isBulk: true,
  },
} as const satisfies Record<string, TableData>;
