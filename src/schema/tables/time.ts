import { bool, bytes, id, int, ofAccount, orNull, reference, text, u64, version } from "../column.ts";
import { tablesOf } from "../table.ts";

const from = version("first snapshot of the span");
const to = orNull(version("last snapshot of the span; null while the newest snapshot that covers the account still shows it"));

/**
 * What stood when. Rows are stretches of sealed snapshots over which one thing was seen, never one row per snapshot;
 * they are a function of the snapshots and of what these saw, so the order of sealing leaves no trace.
 */
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
    meaning: "Complete lists of an account's modules, each stored once, however many snapshots show it; an empty list is one too",
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
    meaning: "Listings over spans of the snapshots that cover the account: each of these snapshots has one listing",
    columns: {
      address_id: ofAccount,
      from_version: from,
      to_version: to,
      listing_id: reference("_listings", "the listing"),
    },
    key: ["address_id", "from_version"],
    // What stands now is asked for most, and an account that changes often has many listings.
    indexes: [{ columns: ["listing_id"] }, { columns: ["address_id"], where: "to_version IS NULL" }],
  },
});
