import { checksum, type TableData } from "../table.ts";

/** Where content came from besides the database's own crawls, and what contradicts what is stored. */
export const sourceTables = {
  sources: {
    name: "_sources",
    meaning: "Archives that were imported, and archive nodes that answered for what another node had pruned",
    columns: {
      id: { kind: "int", meaning: "number of the source" },
      kind: { kind: "text", meaning: "database, export, modules (a folder of bytecode files), or node (an archive node)" },
      name: { kind: "text", meaning: "file or directory it was read from, or the node's URL without credentials, made printable" },
      digest: {
        kind: "text",
        meaning: "SHA-256 that names its content: importing the same thing again is the same source; for a node of its URL",
      },
      imported_at: { kind: "time", meaning: "when it was last imported or asked" },
      checksum,
    },
    key: ["id"],
    indexes: [{ columns: ["kind", "digest"], unique: true }],
  },
  source_snapshots: {
    name: "_source_snapshots",
    meaning:
      "What each imported archive or archive node says of a snapshot; a snapshot without a row here was read from the crawled node alone",
    columns: {
      ledger_version: { kind: "version", meaning: "the snapshot's ledger version", references: "_pins" },
      source_id: { kind: "int", meaning: "the archive", references: "_sources" },
      accounts: { kind: "int", meaning: "accounts that it covers" },
      new_accounts: { kind: "int", meaning: "of these, accounts that nothing stored covered at that version when it was first imported" },
      digest: {
        kind: "bytes",
        meaning:
          "its own digest of the snapshot, computed from its content; for a node that of the snapshot as it was sealed, zeros before",
      },
      checksum,
    },
    key: ["ledger_version", "source_id"],
    indexes: [{ columns: ["source_id"] }],
  },
  disagreements: {
    name: "_disagreements",
    meaning: "Observations that contradict stored ones; the stored ones stay",
    columns: {
      id: { kind: "int", meaning: "number of the finding" },
      kind: {
        kind: "text",
        meaning:
          "what is contradicted: module, account, module_probe, account_probe, node_abi, module_name (a node gave bytes under another name than they have), or module_size (it gave more than any chain stores)",
      },
      subject: { kind: "text", meaning: "the account or module (0x1::coin), or for node_abi the bytecode's SHA-256" },
      from_version: { kind: "version", meaning: "first ledger version at which the two differ" },
      to_version: { kind: "version", meaning: "last ledger version up to which they differ in the same way" },
      stored: { kind: "text", meaning: "the value that is stored, `absent` for none" },
      found: { kind: "text", meaning: "the value that contradicts it, `absent` for none" },
      origin: { kind: "text", meaning: "who says so: a node's URL without credentials, or the file that was imported" },
      first_seen_at: { kind: "time", meaning: "when it was first seen" },
      last_seen_at: { kind: "time", meaning: "when it was last seen" },
      checksum,
    },
    key: ["id"],
    indexes: [{ columns: ["kind", "subject", "from_version", "stored", "found"], unique: true }],
  },
  builds: {
    name: "_builds",
    meaning: "Builds of the nodes that were read: the same bytes give other ABIs on another build",
    columns: {
      node: { kind: "text", meaning: "the node's URL without credentials" },
      git_hash: { kind: "text", meaning: "the commit that it says it was built from, empty when it does not say" },
      build: { kind: "text", meaning: "the generation by which it prints ABIs: A, B or C, D; empty when no ABI was seen" },
      first_seen_at: { kind: "time", meaning: "when it was first seen" },
      last_seen_at: { kind: "time", meaning: "when it was last seen" },
      checksum,
    },
    key: ["node", "git_hash", "build"],
  },
} as const satisfies Record<string, TableData>;
