import type { TableData } from "../table.ts";

const snapshot = { kind: "version", meaning: "the snapshot's ledger version", references: "_pins" } as const;

/** How several processes share the work on one database: who they are, and the parts of the work that each takes. */
export const sharingTables = {
  batches: {
    name: "_batches",
    meaning: "Work in hand: runs of a snapshot's plan that are read as one; a row is there until all its accounts are answered for",
    columns: {
      ledger_version: snapshot,
      first_position: { kind: "int", meaning: "place in the plan of its first account" },
      last_position: { kind: "int", meaning: "place in the plan of its last account" },
      accounts: { kind: "int", meaning: "how many accounts were left to visit when it was made" },
      round: { kind: "int", meaning: "how often its accounts are tried by now, from 1" },
      due_at: { kind: "time", meaning: "not to be taken before, null for at once", nullable: true },
    },
    key: ["ledger_version", "first_position"],
    indexes: [{ columns: ["ledger_version", "round", "first_position"] }],
  },
  traces: {
    name: "_traces",
    meaning:
      "Traces that processes search together: which changes are asked for, and what may be spent; each has its row until it is over and all have left it",
    columns: {
      id: { kind: "text", meaning: "a name that no other has" },
      address: { kind: "text", meaning: "the account asked for, null for all", nullable: true },
      module: { kind: "text", meaning: "the name of the module asked for, null for all", nullable: true },
      from_version: { kind: "version", meaning: "only changes from this ledger version on, null for all", nullable: true },
      to_version: { kind: "version", meaning: "only changes up to this ledger version, null for all", nullable: true },
      first_above: { kind: "version", meaning: "changes above this ledger version come first, null where none do", nullable: true },
      requests_left: {
        kind: "int",
        meaning: "requests that all processes together may still send for it, null for any number",
        nullable: true,
      },
      ends_at: { kind: "time", meaning: "when no further change is begun, null for no such time", nullable: true },
      rounds: { kind: "int", meaning: "how often changes were planned, since probes may show further ones" },
      opened_at: { kind: "time", meaning: "when it was opened" },
      ended_at: { kind: "time", meaning: "when nothing was left to search, null while it is open", nullable: true },
    },
    key: ["id"],
  },
  trace_groups: {
    name: "_trace_groups",
    meaning:
      "The changes of a trace in groups that are searched as one: changes of one account's modules in the same interval, or of its key",
    columns: {
      trace: { kind: "text", meaning: "the trace", references: "_traces" },
      position: { kind: "int", meaning: "place in the order of searching, from 0" },
      address_id: { kind: "int", meaning: "the account", references: "_addresses" },
      modules: { kind: "json", meaning: "names of the modules that changed, null where it is the authentication key", nullable: true },
      after_version: { kind: "version", meaning: "the old values stood there" },
      at_or_before_version: { kind: "version", meaning: "the new values stood there" },
      least: { kind: "int", meaning: "the fewest probes that the interval needs" },
      is_urgent: { kind: "bool", meaning: "whether an alert waits for it; all of these are searched before others are begun" },
      is_passed_on: {
        kind: "bool",
        meaning: "whether a process that only worked along could not search it to its end, and leaves it to those that asked",
      },
      is_done: { kind: "bool", meaning: "whether it was searched to its end" },
      probes: { kind: "int", meaning: "probes made for it so far" },
      outcome: { kind: "json", meaning: "what became of its changes so far, null before anyone searched", nullable: true },
    },
    key: ["trace", "position"],
  },
  workers: {
    name: "_workers",
    meaning:
      "Processes that work on a PostgreSQL database together; each has its row while it works, and one that died until another clears it away",
    columns: {
      owner: { kind: "text", meaning: "host, process and a word of its own; the owner of its leases" },
      command: { kind: "text", meaning: "what it was started as (sync, work)" },
      node: { kind: "text", meaning: "the URL of the node that it asks, without credentials" },
      since: { kind: "time", meaning: "when it began" },
      seen_at: { kind: "time", meaning: "its last sign of life" },
      ledger_version: { kind: "version", meaning: "the snapshot that it reads, null while it waits for work", nullable: true },
      accounts: { kind: "int", meaning: "accounts that it has read" },
      requests: { kind: "int", meaning: "requests that it has sent" },
      per_minute: { kind: "int", meaning: "requests a minute, by those of the last seconds" },
    },
    key: ["owner"],
  },
  node_pauses: {
    name: "_node_pauses",
    meaning: "Nodes that several processes ask, and how long all must wait because one of them was told to",
    columns: {
      node: { kind: "text", meaning: "the node's URL without credentials" },
      paused_until: { kind: "time", meaning: "when requests may be sent again, null when the node never wanted a pause", nullable: true },
      complained_at: { kind: "time", meaning: "when the node last said that its rate was exceeded (429), null for never", nullable: true },
    },
    key: ["node"],
  },
  rate_grants: {
    name: "_rate_grants",
    meaning:
      "What each process was granted of a rate that all share (`--shared-rate`); it lapses unless it is renewed. Rates are in thousandths of a request a second",
    columns: {
      node: { kind: "text", meaning: "the node's URL without credentials" },
      owner: { kind: "text", meaning: "the process, as in workers" },
      limit_milli: { kind: "int", meaning: "what all may send together, as this process knows it; the smallest counts" },
      wants_milli: { kind: "int", meaning: "what it would send" },
      granted_milli: { kind: "int", meaning: "what it may send" },
      until: { kind: "time", meaning: "when that ends" },
    },
    key: ["node", "owner"],
  },
} as const satisfies Record<string, TableData>;
