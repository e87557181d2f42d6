import { bytes, checksum, int, ofSnapshot, reference, text, time, version } from "../column.ts";
import { tablesOf } from "../table.ts";

/** Where content came from besides the database's own crawls, and what contradicts what is stored. */
export const sourceTables = tablesOf({
  sources: {
    meaning: "Imported archives, and archive nodes that answered for versions that another node had pruned",
    columns: {
      id: int("number of the source"),
      kind: text("database, export, modules (a folder of bytecode files), or node (an archive node)"),
      name: text("the file or directory, or the node's URL without credentials, made printable"),
      digest: text("SHA-256 of its content, so that importing the same content again is the same source; for a node, SHA-256 of its URL"),
      imported_at: time("when it was last imported or read"),
      checksum,
    },
    indexes: [{ columns: ["kind", "digest"], unique: true }],
  },
  source_snapshots: {
    meaning: "What each imported archive or archive node has of a snapshot; a snapshot without a row was read only from the crawled node",
    columns: {
      ledger_version: ofSnapshot,
      source_id: reference("_sources", "the archive"),
      accounts: int("accounts that it covers"),
      new_accounts: int("of these, accounts that were not covered at that version before the first import"),
      digest: bytes(
        "its own digest of the snapshot, computed from its content; for a node, the snapshot's digest once it is sealed, zeros until then",
      ),
      checksum,
    },
    key: ["ledger_version", "source_id"],
  },
  all_findings: {
    meaning: "Observations that contradict stored ones; the stored values stay",
    columns: {
      id: int("number of the finding"),
      kind: text(
        "what is contradicted: module, account, module_probe, account_probe, node_abi, module_name (a node sent bytes under a different name), or module_size (a node sent more than any chain stores)",
      ),
      subject: text("the account or module (0x1::coin), or for node_abi the bytecode's SHA-256"),
      from_version: version("first ledger version at which the two differ"),
      to_version: version("last ledger version at which they differ in the same way"),
      stored: text("the stored value, or `absent`"),
      found: text("the contradicting value, or `absent`"),
      origin: text("where it comes from: a node's URL without credentials, or the imported file"),
      first_seen_at: time("when it was first seen"),
      last_seen_at: time("when it was last seen"),
      checksum,
    },
    indexes: [{ columns: ["kind", "subject", "from_version", "stored", "found"], unique: true }],
  },
  builds: {
    meaning: "Builds of the nodes that were read; the same bytes can give a different ABI on a different build",
    columns: {
      node: text("the node's URL without credentials"),
      git_hash: text("the commit it reports to be built from; empty if it reports none"),
      build: text("its way of printing ABIs: A, B or C, D; empty if no ABI was seen"),
      first_seen_at: time("when it was first seen"),
      last_seen_at: time("when it was last seen"),
      checksum,
    },
    key: ["node", "git_hash", "build"],
  },
});
