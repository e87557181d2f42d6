import { flag as flagOf, u64 } from "../sql/functions.ts";
import { holds } from "../sql/predicates.ts";
import { sql } from "../sql/sql.ts";
import type { StateView } from "./state-views.ts";
import { boolean, prefixedHex, snapshotColumns, text, u64Column } from "./view.ts";

export const accountView: StateView = {
  name: "accounts",
  meaning: "Account records",
  columns: {
    ...snapshotColumns,
    sequence_number: u64Column("the sequence number", u64("s.sequence_number")),
    authentication_key: text("the authentication key as 0x and hex", prefixedHex("s.authentication_key")),
  },
  selects: [{ spans: "records", of: "s" }],
};

export const coveredView: StateView = {
  name: "covered",
  meaning: "Accounts that a sealed snapshot has an answer about, even if they have no record or modules",
  columns: {
    ...snapshotColumns,
    has_record: boolean("whether the account has a record; objects have none; null if the snapshot did not read it"),
  },
  selects: [
    {
      spans: "listings",
      of: "s",
      terms: (version) => ({
        has_record:
          flagOf(sql`CASE WHEN EXISTS (SELECT 1 FROM _record_coverage k WHERE k.address_id = s.address_id AND ${holds("k", version)})
          THEN EXISTS (SELECT 1 FROM _account_spans r WHERE r.address_id = s.address_id AND ${holds("r", version)}) END`),
      }),
    },
  ],
};
