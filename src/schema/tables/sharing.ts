import type { TableData } from "../table.ts";

const snapshot = { kind: "version", meaning: "the snapshot's ledger version", references: "_pins" } as const;

/** How several processes share the work on one database: who they are, and the parts of the work that each takes. */
export const sharingTables = {
  batches: {
    name: "_batches",
    meaning: "Unfinished work: batches of a snapshot's plan; a row stays until each of its accounts has an answer",
    columns: {
      ledger_version: snapshot,
      first_position: { kind: "int", meaning: "position of its first account in the plan" },
      last_position: { kind: "int", meaning: "position of its last account in the plan" },
      accounts: { kind: "int", meaning: "accounts left to visit when it was created" },
      round: { kind: "int", meaning: "number of the current attempt, from 1" },
      due_at: { kind: "time", meaning: "earliest time to take it; null for now", nullable: true },
    },
    key: ["ledger_version", "first_position"],
    indexes: [{ columns: ["ledger_version", "round", "first_position"] }],
  },
  traces: {
    name: "_traces",
    meaning:
      "Traces that several processes share: which changes are wanted, and the budget; a row stays until its trace ends and all processes have left it",
    columns: {
      id: { kind: "text", meaning: "a unique name" },
      address: { kind: "text", meaning: "the wanted account; null for all", nullable: true },
      module: { kind: "text", meaning: "the wanted module's name; null for all", nullable: true },
      from_version: { kind: "version", meaning: "only changes at or after this ledger version; null for all", nullable: true },
      to_version: { kind: "version", meaning: "only changes up to this ledger version; null for all", nullable: true },
      first_above: { kind: "version", meaning: "changes above this ledger version come first; null for no preference", nullable: true },
      requests_left: {
        kind: "int",
        meaning: "requests that all processes together may still send; null for no limit",
        nullable: true,
      },
      ends_at: { kind: "time", meaning: "when to stop starting further changes; null for no limit", nullable: true },
      rounds: { kind: "int", meaning: "how many times changes were planned; probes may reveal further ones" },
      opened_at: { kind: "time", meaning: "when it was opened" },
      ended_at: { kind: "time", meaning: "when nothing was left to search; null while it is open", nullable: true },
    },
    key: ["id"],
  },
  trace_groups: {
    name: "_trace_groups",
    meaning: "Groups of changes that a trace searches together: changes of one account's modules in the same interval, or of its key",
    columns: {
      trace: { kind: "text", meaning: "the trace", references: "_traces" },
      position: { kind: "int", meaning: "position in the search order, from 0" },
      address_id: { kind: "int", meaning: "the account", references: "_addresses" },
      modules: { kind: "json", meaning: "names of the modules that changed; null for the authentication key", nullable: true },
      after_version: { kind: "version", meaning: "ledger version with the old values" },
      at_or_before_version: { kind: "version", meaning: "ledger version with the new values" },
      least: { kind: "int", meaning: "minimum number of probes that the interval needs" },
      is_urgent: { kind: "bool", meaning: "whether an alert waits for it; these are searched before all others" },
      is_passed_on: {
        kind: "bool",
        meaning: "whether a helping process could not finish it and left it to the processes that requested the trace",
      },
      is_done: { kind: "bool", meaning: "whether the search is complete" },
      probes: { kind: "int", meaning: "number of probes so far" },
      outcome: { kind: "json", meaning: "results so far; null before the search began", nullable: true },
    },
    key: ["trace", "position"],
  },
  workers: {
    name: "_workers",
    meaning:
      "Processes that work on a PostgreSQL database together; a row stays while its process works, or until another process removes the row of a dead one",
    columns: {
      owner: { kind: "text", meaning: "host, process id and a random word; the owner of its leases" },
      command: { kind: "text", meaning: "the command it was started as (sync, work)" },
      node: { kind: "text", meaning: "URL of the node that it reads, without credentials" },
      since: { kind: "time", meaning: "when it began" },
      seen_at: { kind: "time", meaning: "its last heartbeat" },
      ledger_version: { kind: "version", meaning: "the snapshot that it reads; null while it waits for work", nullable: true },
      accounts: { kind: "int", meaning: "accounts that it has read" },
      requests: { kind: "int", meaning: "requests that it has sent" },
      per_minute: { kind: "int", meaning: "requests per minute, from the last few seconds" },
    },
    key: ["owner"],
  },
  node_pauses: {
    name: "_node_pauses",
    meaning: "Pauses of nodes that several processes read: if the node tells one process to wait, all wait",
    columns: {
      node: { kind: "text", meaning: "the node's URL without credentials" },
      paused_until: { kind: "time", meaning: "when requests may be sent again; null if the node never asked for a pause", nullable: true },
      complained_at: {
        kind: "time",
        meaning: "when the node last answered that its rate limit was exceeded (429); null if never",
        nullable: true,
      },
    },
    key: ["node"],
  },
  rate_grants: {
    name: "_rate_grants",
    meaning:
      "Each process's share of a common rate (`--shared-rate`); it expires unless renewed. Rates are in thousandths of a request per second",
    columns: {
      node: { kind: "text", meaning: "the node's URL without credentials" },
      owner: { kind: "text", meaning: "the process, as in workers" },
      limit_milli: { kind: "int", meaning: "the common rate, as this process was told; the smallest value counts" },
      wants_milli: { kind: "int", meaning: "the rate it wants" },
      granted_milli: { kind: "int", meaning: "the rate it is granted" },
      until: { kind: "time", meaning: "when the grant expires" },
    },
    key: ["node", "owner"],
  },
} as const satisfies Record<string, TableData>;
