import { sealed } from "../sql/predicates.ts";
import { sql } from "../sql/sql.ts";
import {
  addressLong,
  chain,
  hexText,
  integer,
  snapshotColumns,
  text,
  time,
  timeColumns,
  timeOf,
  timeValues,
  type ViewData,
} from "./view.ts";

/** What is held, and what is not. */
export const historyViews: readonly ViewData[] = [
  {
    name: "snapshots",
    meaning: "Sealed snapshots",
    columns: {
      chain_id: integer("the chain"),
      ledger_version: integer("the ledger version that was read"),
      status: text("sealed, or sealed_with_gaps"),
      created_at: time("when it was begun, UTC"),
      sealed_at: time("when it was sealed, UTC"),
      head_version: integer("newest version of the node when it was begun"),
      oldest_version: integer("oldest readable version of the node when it was begun"),
      accounts: integer("accounts that answered"),
      modules: integer("their modules"),
      changed_modules: integer("modules that differed from the previous snapshot of their account when it was sealed"),
      gaps: integer("accounts that did not answer"),
      digest: text("SHA-256 over the sorted lines `address_long::module bytecode_sha256`; equal content has an equal digest"),
      ...timeColumns,
    },
    select: sql`SELECT ${chain}, p.ledger_version, p.status, ${timeOf("p.created_at")} AS created_at, ${timeOf("p.sealed_at")} AS sealed_at, p.head_version,
      p.oldest_version, p.accounts, p.modules, p.changed_modules, p.gaps, ${hexText("p.digest")} AS digest,
      ${timeValues(sql`p.ledger_version`)} FROM _pins p WHERE ${sealed("p")}`,
  },
  {
    name: "gaps",
    meaning: "Accounts that a snapshot has no answer for, and why",
    columns: {
      ...snapshotColumns,
      ledger_version: integer("the snapshot"),
      status: text("state of the snapshot: unsealed, sealed_with_gaps, or abandoned"),
      reason: text("class of the failure"),
      error_code: text("the node's error code; null if none"),
      http_status: integer("HTTP status of the last answer; null if there was none"),
      message: text("what the node or the network said"),
      attempts: integer("how many times it was tried"),
      is_final: { type: "boolean", meaning: "whether trying again cannot help" },
      first_at: time("first failure, UTC"),
      last_at: time("latest failure, UTC"),
      ...timeColumns,
    },
    select: sql`SELECT ${chain}, m.ledger_version, a.address, ${addressLong} AS address_long, p.status, m.reason, m.error_code, m.http_status,
      m.message, m.attempts, m.is_final, ${timeOf("m.first_at")} AS first_at, ${timeOf("m.last_at")} AS last_at, ${timeValues(sql`m.ledger_version`)}
      FROM _misses m JOIN _pins p ON p.ledger_version = m.ledger_version JOIN _addresses a ON a.id = m.address_id`,
  },
];
