import { bool, bytes, checksum, id, int, ofAccount, orNull, reference, text, time, u64, version } from "../column.ts";
import { tablesOf } from "../table.ts";

const from = version("first snapshot of the span");
const to = orNull(version("last snapshot of the span; null while the newest snapshot that covers the account still shows it"));

/** What stood when, as stretches of sealed snapshots: a function of what these saw, whatever the order of sealing. */
export const timeTables = tablesOf({
  coverage: {
    meaning: "Spans of sealed snapshots that have an answer about an account; outside of them nothing is known",
    columns: {
      address_id: ofAccount,
      from_version: from,
      to_version: orNull(version("last snapshot of the span; null while the newest snapshot covers the account in the same way")),
      reads_record: bool("whether these snapshots read the account's record too, and not its modules alone"),
    },
    key: ["address_id", "from_version"],
  },
  account_spans: {
    meaning: "Account records over spans of the snapshots that read them; a snapshot that read the record and has no span here found none",
    columns: {
      address_id: ofAccount,
      from_version: from,
      to_version: to,
      sequence_number: u64("the account's sequence number"),
      authentication_key: bytes("the account's authentication key"),
      resource: orNull(bytes("the whole record in BCS; null if the node answered in JSON")),
    },
    key: ["address_id", "from_version"],
  },
  listings: {
    meaning: "Complete lists of an account's modules, each stored once, however many snapshots show it; an empty list has no row",
    columns: {
      id,
      address_id: ofAccount,
      digest: bytes("SHA-256 over one line `<name> <SHA-256 of the bytecode in hex>` per module, sorted by name"),
      modules: int("number of modules in it"),
    },
    indexes: [{ columns: ["address_id", "digest"], unique: true }],
  },
  listing_modules: {
    meaning: "The modules of each listing",
    columns: {
      listing_id: reference("_listings", "the listing"),
      name: text("name of the module"),
      bytecode_id: reference("_bytecodes", "the bytecode"),
    },
    key: ["listing_id", "name"],
    indexes: [{ columns: ["bytecode_id"] }],
  },
  listing_spans: {
    meaning: "Listings over spans of the snapshots that cover the account: each of these snapshots has one span",
    columns: {
      address_id: ofAccount,
      from_version: from,
      to_version: to,
      listing_id: orNull(reference("_listings", "the listing; null if the account had no modules")),
    },
    key: ["address_id", "from_version"],
    // Most accounts of a long list have no modules. What stands now is asked for most, and an account that changes often has many listings.
    indexes: [
      { columns: ["listing_id"], where: "listing_id IS NOT NULL" },
      { columns: ["address_id"], where: "to_version IS NULL AND listing_id IS NOT NULL" },
    ],
  },
});

const source = orNull(text("URL of the archive node that answered version 0.1.0, without credentials, even if imported; else null"));
const probed = version("the ledger version that was read, not part of a snapshot");

/** Point reads between snapshots, at versions that no snapshot seals, and older versions that are wanted. */
export const traceTables = tablesOf({
  module_probes: {
    meaning: "Point reads of modules by trace, between snapshots of the account",
    columns: {
      address_id: ofAccount,
      name: text("name of the module"),
      ledger_version: probed,
      bytecode_id: orNull(reference("_bytecodes", "the bytecode at that version; null if there was no such module")),
      source,
      checksum,
    },
    key: ["address_id", "name", "ledger_version"],
    indexes: [{ columns: ["bytecode_id"] }],
  },
  account_probes: {
    meaning: "Point reads of account records by trace, between snapshots of the account",
    columns: {
      address_id: ofAccount,
      ledger_version: probed,
      sequence_number: orNull(u64("the account's sequence number; null if there was no record")),
      authentication_key: orNull(bytes("the account's authentication key; null if there was no record")),
      source,
      checksum,
    },
    key: ["address_id", "ledger_version"],
  },
  backfill_points: {
    meaning: "Older ledger versions requested from backfill, and the result of each",
    columns: {
      ledger_version: version("the ledger version"),
      wanted_time: orNull(time("the requested moment; null if a version was requested")),
      time_error_ms: orNull(int("estimated distance of its own time from that moment in milliseconds; null if wanted_time is null")),
      state: text(
        "planned; refused (some of the nodes behind the address have pruned it); observed (read and sealed); inferred (no account had to be read); gaps (sealed, some accounts did not answer); lost (pruned before it could be read)",
      ),
      reason: orNull(text("why it is refused or lost; null otherwise")),
      asked_at: time("when it was first requested"),
      decided_at: time("when the state was last set"),
      accounts_read: int("accounts read at this version"),
      accounts_inferred: int("accounts not read because the snapshots before and after agree on their modules"),
      inferred_within: orNull(
        version("maximum distance in versions between the snapshots before and after, for an account to be inferred; null for no limit"),
      ),
      checksum,
    },
    key: ["ledger_version"],
  },
});
