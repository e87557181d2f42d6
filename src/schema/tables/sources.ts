import { checksum, type TableData } from "../table.ts";

/** Where content came from besides the database's own crawls, and what contradicts what is stored. */
export const sourceTables = {
  sources: {
    name: "_sources",
    meaning: "Imported archives, and archive nodes that answered for versions that another node had pruned",
    columns: {
      id: { kind: "int", meaning: "number of the source" },
      kind: { kind: "text", meaning: "database, export, modules (a folder of bytecode files), or node (an archive node)" },
      name: { kind: "text", meaning: "the file or directory, or the node's URL without credentials, made printable" },
      digest: {
        kind: "text",
        meaning: "SHA-256 of its content, so that importing the same content again is the same source; for a node, SHA-256 of its URL",
      },
      imported_at: { kind: "time", meaning: "when it was last imported or read" },
      checksum,
    },
    key: ["id"],
    indexes: [{ columns: ["kind", "digest"], unique: true }],
  },
  source_snapshots: {
    name: "_source_snapshots",
    meaning: "What each imported archive or archive node has of a snapshot; a snapshot without a row was read only from the crawled node",
    columns: {
      ledger_version: { kind: "version", meaning: "the snapshot's ledger version", references: "_pins" },
      source_id: { kind: "int", meaning: "the archive", references: "_sources" },
      accounts: { kind: "int", meaning: "accounts that it covers" },
      new_accounts: { kind: "int", meaning: "of these, accounts that were not covered at that version before the first import" },
      digest: {
        kind: "bytes",
        meaning:
          "its own digest of the snapshot, computed from its content; for a node, the snapshot's digest once it is sealed, zeros until then",
      },
      checksum,
    },
    key: ["ledger_version", "source_id"],
  },
  disagreements: {
    name: "_disagreements",
    meaning: "Observations that contradict stored ones; the stored values stay",
    columns: {
      id: { kind: "int", meaning: "number of the finding" },
      kind: {
        kind: "text",
        meaning:
          "what is contradicted: module, account, module_probe, account_probe, node_abi, module_name (a node sent bytes under a different name), or module_size (a node sent more than any chain stores)",
      },
      subject: { kind: "text", meaning: "the account or module (0x1::coin), or for node_abi the bytecode's SHA-256" },
      from_version: { kind: "version", meaning: "first ledger version at which the two differ" },
      to_version: { kind: "version", meaning: "last ledger version at which they differ in the same way" },
      stored: { kind: "text", meaning: "the stored value, or `absent`" },
      found: { kind: "text", meaning: "the contradicting value, or `absent`" },
      origin: { kind: "text", meaning: "where it comes from: a node's URL without credentials, or the imported file" },
      first_seen_at: { kind: "time", meaning: "when it was first seen" },
      last_seen_at: { kind: "time", meaning: "when it was last seen" },
      checksum,
    },
    key: ["id"],
    indexes: [{ columns: ["kind", "subject", "from_version", "stored", "found"], unique: true }],
  },
  builds: {
    name: "_builds",
    meaning: "Builds of the nodes that were read; the same bytes can give a different ABI on a different build",
    columns: {
      node: { kind: "text", meaning: "the node's URL without credentials" },
      git_hash: { kind: "text", meaning: "the commit it reports to be built from; empty if it reports none" },
      build: { kind: "text", meaning: "its way of printing ABIs: A, B or C, D; empty if no ABI was seen" },
      first_seen_at: { kind: "time", meaning: "when it was first seen" },
      last_seen_at: { kind: "time", meaning: "when it was last seen" },
      checksum,
    },
    key: ["node", "git_hash", "build"],
  },
} as const satisfies Record<string, TableData>;
