import { int, orNull, text, time, version } from "../column.ts";
import { tablesOf } from "../table.ts";
import { ofSnapshot } from "./columns.ts";

/** How several processes share the work on one database: who they are, and the parts of the work that each takes. */
export const sharingTables = tablesOf({
  batches: {
    meaning: "Unfinished work: batches of a snapshot's plan; a row stays until each of its accounts has an answer",
    columns: {
      ledger_version: ofSnapshot,
      first_position: int("position of its first account in the plan"),
      last_position: int("position of its last account in the plan"),
      accounts: int("accounts left to visit when it was created"),
      round: int("number of the current attempt, from 1"),
      due_at: orNull(time("earliest time to take it; null for now")),
    },
    key: ["ledger_version", "first_position"],
    indexes: [{ columns: ["ledger_version", "round", "first_position"] }],
  },
  workers: {
    meaning:
      "Processes that work on a PostgreSQL database together; a row stays while its process works, or until another process removes the row of a dead one",
    columns: {
      owner: text("host, process id and a random word; the owner of its leases"),
      command: text("the command it was started as (sync, backfill, trace)"),
      node: text("URL of the node that it reads, without credentials"),
      since: time("when it began"),
      seen_at: time("its last heartbeat"),
      ledger_version: orNull(version("the snapshot that it reads; null while it reads none")),
      accounts: int("accounts that it has read"),
      requests: int("requests that it has sent"),
      per_minute: int("requests per minute, from the last few seconds"),
    },
    key: ["owner"],
  },
});
