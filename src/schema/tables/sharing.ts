import { bool, int, orNull, text, time, version } from "../column.ts";
import { tablesOf } from "../table.ts";
import { ofAccount, ofSnapshot, position } from "./columns.ts";

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
  traces: {
    meaning:
      "Traces that several processes share: which changes are wanted, and the budget; a row stays until its trace ends and all processes have left it",
    columns: {
      id: text("a unique name"),
      address: orNull(text("the wanted account; null for all")),
      module: orNull(text("the wanted module's name; null for all")),
      from_version: orNull(version("only changes at or after this ledger version; null for all")),
      to_version: orNull(version("only changes up to this ledger version; null for all")),
      first_above: orNull(version("changes above this ledger version come first; null for no preference")),
      requests_left: orNull(int("requests that all processes together may still send; null for no limit")),
      ends_at: orNull(time("when to stop starting further changes; null for no limit")),
      rounds: int("how many times changes were planned; probes may reveal further ones"),
      opened_at: time("when it was opened"),
      ended_at: orNull(time("when nothing was left to search; null while it is open")),
    },
    key: ["id"],
  },
  trace_groups: {
    meaning: "Groups of changes that a trace searches together: changes of one account's modules in the same interval, or of its key",
    columns: {
      trace: { ...text("the trace"), references: "_traces" },
      position: int("position in the search order, from 0"),
      address_id: ofAccount,
      after_version: version("ledger version with the old values"),
      at_or_before_version: version("ledger version with the new values"),
      least: int("minimum number of probes that the interval needs"),
      is_urgent: bool("whether an alert waits for it; these are searched before all others"),
      is_done: bool("whether the search is complete"),
      probes: int("number of probes so far"),
    },
    key: ["trace", "position"],
  },
  trace_changes: {
    meaning: "The changes of such a group: those to search for; once it was searched, those found",
    columns: {
      trace: { ...text("the trace"), references: "_traces" },
      group_position: int("position of the group in the search order, from 0"),
      position,
      module: orNull(text("the module's name; null for the authentication key")),
      after_version: version("ledger version with the old value"),
      at_or_before_version: version("ledger version with the new value"),
      from_value: orNull(text("the old value in hex: SHA-256 of the bytecode, or the key; null if there was none")),
      to_value: orNull(text("the new value; null if there is none")),
      probes: int("probes by the process that searched last"),
      least: int("minimum number of probes that its first interval needs"),
      state: orNull(text("result: exact, open, unreadable, behind or failed; null before the search began")),
      reason: orNull(text("why it is not exact; null if that needs no words")),
    },
    key: ["trace", "group_position", "position"],
    references: [{ columns: ["trace", "group_position"], parent: "_trace_groups" }],
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
