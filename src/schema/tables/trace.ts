import { checksum, type TableData } from "../table.ts";

const address = { kind: "int", meaning: "the account", references: "_addresses" } as const;
const source = {
  kind: "text",
  meaning:
    "URL of the archive node that answered, without credentials, even if imported; null if the crawled node answered or the source is unknown",
  nullable: true,
} as const;
const probed = { kind: "version", meaning: "the ledger version that was read, not part of a snapshot" } as const;

/**
 * What was read between snapshots, and which older versions are wanted. Point reads are observations too, but of one
 * thing at a version that no snapshot seals, so they never touch the spans.
 */
export const traceTables = {
  module_probes: {
    name: "_module_probes",
    meaning: "Point reads of modules by trace, between snapshots of the account",
    columns: {
      address_id: address,
      name: { kind: "text", meaning: "name of the module" },
      ledger_version: probed,
      bytecode_id: {
        kind: "int",
        meaning: "the bytecode at that version; null if there was no such module",
        references: "_bytecodes",
        nullable: true,
      },
      source,
      checksum,
    },
    key: ["address_id", "name", "ledger_version"],
    indexes: [{ columns: ["bytecode_id"] }],
  },
  account_probes: {
    name: "_account_probes",
    meaning: "Point reads of account records by trace, between snapshots of the account",
    columns: {
      address_id: address,
      ledger_version: probed,
      sequence_number: { kind: "u64", meaning: "the account's sequence number; null if there was no record", nullable: true },
      authentication_key: { kind: "bytes", meaning: "the account's authentication key; null if there was no record", nullable: true },
      source,
      checksum,
    },
    key: ["address_id", "ledger_version"],
  },
  backfill_points: {
    name: "_backfill_points",
    meaning: "Older ledger versions requested from backfill, and the result of each",
    columns: {
      ledger_version: { kind: "version", meaning: "the ledger version" },
      wanted_time: { kind: "time", meaning: "the requested moment; null if a version was requested", nullable: true },
      time_error_ms: {
        kind: "int",
        meaning: "estimated distance of its own time from that moment in milliseconds",
        nullable: true,
      },
      state: {
        kind: "text",
        meaning:
          "planned; refused (cannot be read in time, by the current forecast); observed (read and sealed); inferred (no account had to be read); gaps (sealed, some accounts did not answer); lost (pruned before it could be read)",
      },
      reason: { kind: "text", meaning: "why it is refused or lost", nullable: true },
      asked_at: { kind: "time", meaning: "when it was first requested" },
      decided_at: { kind: "time", meaning: "when the state was last set" },
      accounts_read: { kind: "int", meaning: "accounts read at this version" },
      accounts_inferred: { kind: "int", meaning: "accounts not read because the snapshots before and after agree on their modules" },
      inferred_within: {
        kind: "version",
        meaning: "maximum distance in versions between the snapshots before and after, for an account to be inferred; null for no limit",
        nullable: true,
      },
      checksum,
    },
    key: ["ledger_version"],
  },
} as const satisfies Record<string, TableData>;
