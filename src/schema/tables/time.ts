import { checksum, type TableData } from "../table.ts";

const address = { kind: "int", meaning: "the account", references: "_addresses" } as const;
const from = { kind: "version", meaning: "first snapshot of the span" } as const;
const to = {
  kind: "version",
  meaning: "last snapshot of the span; null while the newest snapshot that covers the account still shows it",
  nullable: true,
  isUnchecked: true,
} as const;

/**
 * What stood when. Rows are stretches of sealed snapshots over which one thing was seen, never one row per snapshot;
 * they are a function of the snapshots and of what these saw, so the order of sealing leaves no trace.
 */
export const timeTables = {
  coverage: {
    name: "_coverage",
    meaning: "Spans of sealed snapshots that have an answer about an account; outside of them nothing is known",
    columns: {
      address_id: address,
      from_version: from,
      to_version: {
        kind: "version",
        meaning: "last snapshot of the span; null while the newest snapshot covers the account",
        nullable: true,
      },
    },
    key: ["address_id", "from_version"],
  },
  record_coverage: {
    name: "_record_coverage",
    meaning:
      "Spans of sealed snapshots that read an account's record; snapshots that are only in _coverage read its modules and not its record",
    columns: {
      address_id: address,
      from_version: from,
      to_version: {
        kind: "version",
        meaning: "last snapshot of the span; null while the newest snapshot has read the record",
        nullable: true,
      },
    },
    key: ["address_id", "from_version"],
  },
  account_spans: {
    name: "_account_spans",
    meaning: "Account records over spans of the snapshots that read them; a snapshot that read the record and has no span here found none",
    columns: {
      address_id: address,
      from_version: from,
      to_version: to,
      sequence_number: { kind: "u64", meaning: "the account's sequence number" },
      authentication_key: { kind: "bytes", meaning: "the account's authentication key" },
      resource: { kind: "bytes", meaning: "the whole record in BCS; null if the node answered in JSON", nullable: true },
      checksum,
    },
    key: ["address_id", "from_version"],
  },
  listings: {
    name: "_listings",
    meaning: "Complete lists of an account's modules, each stored once, however many snapshots show it; an empty list is one too",
    columns: {
      id: { kind: "int", meaning: "number of the row inside this database" },
      address_id: address,
      digest: {
        kind: "bytes",
        meaning: "SHA-256 over one line `<name> <SHA-256 of the bytecode in hex>` per module, sorted by name",
      },
      modules: { kind: "int", meaning: "number of modules in it" },
    },
    key: ["id"],
    indexes: [{ columns: ["address_id", "digest"], unique: true }],
  },
  listing_modules: {
    name: "_listing_modules",
    meaning: "The modules of each listing",
    columns: {
      listing_id: { kind: "int", meaning: "the listing", references: "_listings" },
      name: { kind: "text", meaning: "name of the module" },
      bytecode_id: { kind: "int", meaning: "the bytecode", references: "_bytecodes" },
    },
    key: ["listing_id", "name"],
    indexes: [{ columns: ["bytecode_id"] }],
  },
  listing_spans: {
    name: "_listing_spans",
    meaning: "Listings over spans of the snapshots that cover the account: each of these snapshots has one listing",
    columns: {
      address_id: address,
      from_version: from,
      to_version: to,
      listing_id: { kind: "int", meaning: "the listing", references: "_listings" },
      checksum,
    },
    key: ["address_id", "from_version"],
    // What stands now is asked for most, and an account that changes often has many listings.
    indexes: [{ columns: ["listing_id"] }, { columns: ["address_id"], where: "to_version IS NULL" }],
  },
} as const satisfies Record<string, TableData>;
