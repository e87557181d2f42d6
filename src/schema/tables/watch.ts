import { checksum, type TableData } from "../table.ts";

/** What people watch, what was made of the changes there, and who was told. */
export const watchTables = {
  watches: {
    name: "_watches",
    meaning: "Accounts, modules and items to watch",
    columns: {
      id: { kind: "int", meaning: "number of the watch" },
      subject: {
        kind: "text",
        meaning: "an account, a module or an item of a module (0x1::coin::withdraw); or the name of your own package",
      },
      audience: { kind: "text", meaning: "whose point of view counts: callers, clients or readers; null for all", nullable: true },
      level: { kind: "text", meaning: "the lowest severity that raises an alert: breaking, dangerous, behaviour or any" },
      uses: {
        kind: "json",
        meaning: "for a watch of own modules, what they use of others: modules, functions and structs by their full names; otherwise null",
        nullable: true,
      },
      since_version: {
        kind: "version",
        meaning: "changes above this ledger version count; null for all",
        nullable: true,
      },
      added_at: { kind: "time", meaning: "when it was added" },
      removed_at: { kind: "time", meaning: "when it was removed; null while it is active", nullable: true },
      checksum,
    },
    key: ["id"],
  },
  judgements: {
    name: "_judgements",
    meaning: "Changes that affect a watch, with their severity for it; changes below its level are included, so that each is judged once",
    columns: {
      id: { kind: "int", meaning: "number of the judgement; if it is an alert, also the number of the alert" },
      watch_id: { kind: "int", meaning: "the watch", references: "_watches" },
      address_id: { kind: "int", meaning: "the account", references: "_addresses" },
      name: { kind: "text", meaning: "name of the module" },
      from_sha256: { kind: "text", meaning: "SHA-256 of the old bytecode; null if the module was added", nullable: true },
      to_sha256: { kind: "text", meaning: "SHA-256 of the new bytecode; null if the module was removed", nullable: true },
      after_version: { kind: "version", meaning: "last ledger version known to have the old state" },
      at_or_before_version: { kind: "version", meaning: "first ledger version known to have the new state" },
      shown_by: { kind: "version", meaning: "the sealed snapshot that showed the change" },
      severity: {
        kind: "text",
        meaning:
          "the worst severity for the watch: breaking, dangerous, behaviour, safe or silent; unclear if the two could not be compared",
      },
      is_alert: { kind: "bool", meaning: "whether the severity reaches the watch's level" },
      findings: { kind: "json", meaning: "findings by the rules of diff, worst first, and their number" },
      judged_at: { kind: "time", meaning: "when it was judged" },
      checksum,
    },
    key: ["id"],
    indexes: [{ columns: ["watch_id", "address_id", "name"] }, { columns: ["address_id", "name"] }],
  },
  deliveries: {
    name: "_deliveries",
    meaning: "Alerts to send, one row for each receiver",
    columns: {
      judgement_id: { kind: "int", meaning: "the alert", references: "_judgements" },
      channel: {
        kind: "text",
        meaning: "the receiver: its name, or a webhook's host, a program or a file, without secrets",
      },
      delivery_id: {
        kind: "text",
        meaning: "id of the message: the same at each attempt and for all alerts in one message, so that a receiver can detect repetitions",
      },
      state: {
        kind: "text",
        meaning:
          "waiting; sending (an attempt began; whether it arrived is unknown); told; left_out (sent elsewhere before this receiver was added, or below the receiver's level)",
      },
      attempts: { kind: "int", meaning: "how many times it was tried" },
      next_at: { kind: "time", meaning: "when to try again" },
      told_at: { kind: "time", meaning: "when the receiver accepted it; null until then", nullable: true },
      fault: { kind: "text", meaning: "why the last attempt failed; null if it did not", nullable: true },
    },
    key: ["judgement_id", "channel"],
    indexes: [{ columns: ["channel", "state"] }],
  },
  alert_places: {
    name: "_alert_places",
    meaning: "Receivers of alerts",
    columns: {
      channel: { kind: "text", meaning: "the receiver: its name, or its address without secrets" },
      address: { kind: "text", meaning: "first digits of a hash of its address, to detect a change" },
      ended_at: { kind: "time", meaning: "since when it refuses alerts; null while it accepts them", nullable: true },
      fault: { kind: "text", meaning: "its answer at that time", nullable: true },
    },
    key: ["channel"],
  },
} as const satisfies Record<string, TableData>;
