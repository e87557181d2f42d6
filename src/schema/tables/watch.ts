import { checksum, type TableData } from "../table.ts";

/** What people watch, what was made of the changes there, and who was told. */
export const watchTables = {
  watches: {
    name: "_watches",
    meaning: "Accounts, modules and items to watch",
    columns: {
      id: { kind: "int", meaning: "number of the watch" },
      subject: { kind: "text", meaning: "an account, a module or an item of one (0x1::coin::withdraw); or the name of your own package" },
      audience: { kind: "text", meaning: "for whom changes are judged: callers, clients or readers; null for all", nullable: true },
      level: { kind: "text", meaning: "the mildest severity to be told of: breaking, dangerous, behaviour or any" },
      uses: {
        kind: "json",
        meaning: "what own modules use of others, where these are watched: modules, functions and structs by their full names; else null",
        nullable: true,
      },
      since_version: {
        kind: "version",
        meaning: "changes above this ledger version count; null for all",
        nullable: true,
      },
      added_at: { kind: "time", meaning: "when it was added" },
      removed_at: { kind: "time", meaning: "when it was removed, null while it stands", nullable: true },
      checksum,
    },
    key: ["id"],
  },
  judgements: {
    name: "_judgements",
    meaning: "Changes that concern a watch, and how bad each is for it; also those below its level, so that each is judged once",
    columns: {
      id: { kind: "int", meaning: "number of the judgement, and of the alert if it is one" },
      watch_id: { kind: "int", meaning: "the watch", references: "_watches" },
      address_id: { kind: "int", meaning: "the account", references: "_addresses" },
      name: { kind: "text", meaning: "name of the module" },
      from_sha256: { kind: "text", meaning: "SHA-256 of the bytecode before, null when the module was added", nullable: true },
      to_sha256: { kind: "text", meaning: "SHA-256 of the bytecode after, null when the module was removed", nullable: true },
      after_version: { kind: "version", meaning: "last ledger version known to have the old state, as far as is known now" },
      at_or_before_version: { kind: "version", meaning: "first ledger version known to have the new state, as far as is known now" },
      shown_by: { kind: "version", meaning: "the sealed snapshot that showed the change" },
      severity: {
        kind: "text",
        meaning:
          "the worst of its findings for the watch: breaking, dangerous, behaviour, safe or silent; unclear when the two could not be compared",
      },
      is_alert: { kind: "bool", meaning: "whether the severity reaches the watch's level" },
      findings: { kind: "json", meaning: "what changed, by the rules of diff, the worst first; and how many findings there are" },
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
        meaning: "where it is told: the name of a place; without anything secret, a webhook's host, a program, a file",
      },
      delivery_id: {
        kind: "text",
        meaning: "the same at each try, and for all that one message told, so that a receiver can tell a repetition",
      },
      state: {
        kind: "text",
        meaning:
          "waiting; sending (a try was begun, and whether it arrived is not known); told; left_out (told elsewhere before this place was named, or milder than the place's level)",
      },
      attempts: { kind: "int", meaning: "how many times it was tried" },
      next_at: { kind: "time", meaning: "when it may be tried again" },
      told_at: { kind: "time", meaning: "when it was taken, null before", nullable: true },
      fault: { kind: "text", meaning: "why the last try failed, null if it did not", nullable: true },
    },
    key: ["judgement_id", "channel"],
    indexes: [{ columns: ["channel", "state"] }],
  },
  alert_places: {
    name: "_alert_places",
    meaning: "Receivers of alerts",
    columns: {
      channel: { kind: "text", meaning: "the name of a place, or what it is without anything secret" },
      address: { kind: "text", meaning: "first digits of a hash of its address, to tell that it changed" },
      ended_at: { kind: "time", meaning: "since when it takes nothing any more, null while it does", nullable: true },
      fault: { kind: "text", meaning: "what it said then", nullable: true },
    },
    key: ["channel"],
  },
} as const satisfies Record<string, TableData>;
