import type { TableData } from "../table.ts";

const snapshot = { kind: "version", meaning: "the snapshot's ledger version", references: "pins" } as const;

/** How several processes share the work on one database: who they are, and the parts of the work that each takes. */
export const sharingTables = {
  batches: {
    name: "batches",
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
  workers: {
    name: "workers",
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
    indexes: [],
  },
  node_pauses: {
    name: "node_pauses",
    meaning: "Nodes that processes ask together, and how long all are to wait since one of them was told so",
    columns: {
      node: { kind: "text", meaning: "the node's URL without credentials" },
      paused_until: { kind: "time", meaning: "when requests may be sent again, null when the node never wanted a pause", nullable: true },
      complained_at: { kind: "time", meaning: "when the node last said that its rate was exceeded (429), null for never", nullable: true },
    },
    key: ["node"],
    indexes: [],
  },
  rate_grants: {
    name: "rate_grants",
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
    indexes: [],
  },
} as const satisfies Record<string, TableData>;
