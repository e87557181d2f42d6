import { bool, checksum, int, json, orNull, reference, text, time, version } from "../column.ts";
import { tablesOf } from "../table.ts";
import { ofAccount } from "./columns.ts";

/** What people watch, what was made of the changes there, and who was told. */
export const watchTables = tablesOf({
  watches: {
    meaning: "Accounts, modules and items to watch",
    columns: {
      id: int("number of the watch"),
      subject: text("an account, a module or an item of a module (0x1::coin::withdraw); or the name of your own package"),
      audience: orNull(text("whose point of view counts: callers, clients or readers; null for all")),
      level: text("the lowest severity that raises an alert: breaking, dangerous, behaviour or any"),
      uses: orNull(
        json("for a watch of own modules, what they use of others: modules, functions and structs by their full names; otherwise null"),
      ),
      since_version: orNull(version("changes above this ledger version count; null for all")),
      added_at: time("when it was added"),
      removed_at: orNull(time("when it was removed; null while it is active")),
      checksum,
    },
    key: ["id"],
  },
  judgements: {
    meaning: "Changes that affect a watch, with their severity for it; changes below its level are included, so that each is judged once",
    columns: {
      id: int("number of the judgement; if it is an alert, also the number of the alert"),
      watch_id: reference("_watches", "the watch"),
      address_id: ofAccount,
      name: text("name of the module"),
      from_sha256: orNull(text("SHA-256 of the old bytecode; null if the module was added")),
      to_sha256: orNull(text("SHA-256 of the new bytecode; null if the module was removed")),
      after_version: version("last ledger version known to have the old state"),
      at_or_before_version: version("first ledger version known to have the new state"),
      shown_by: version("the sealed snapshot that showed the change"),
      severity: text(
        "the worst severity for the watch: breaking, dangerous, behaviour, safe or silent; unclear if the two could not be compared",
      ),
      is_alert: bool("whether the severity reaches the watch's level"),
      findings: json("findings by the rules of diff, worst first, and their number"),
      judged_at: time("when it was judged"),
      checksum,
    },
    key: ["id"],
    indexes: [{ columns: ["watch_id", "address_id", "name"] }, { columns: ["address_id", "name"] }],
  },
  deliveries: {
    meaning: "Alerts to send, one row for each receiver",
    columns: {
      judgement_id: reference("_judgements", "the alert"),
      channel: text("the receiver: its name, or a webhook's host, a program or a file, without secrets"),
      delivery_id: text(
        "id of the message: the same at each attempt and for all alerts in one message, so that a receiver can detect repetitions",
      ),
      state: text(
        "waiting; sending (an attempt began; whether it arrived is unknown); told; left_out (sent elsewhere before this receiver was added, or below the receiver's level)",
      ),
      attempts: int("how many times it was tried"),
      next_at: time("when to try again"),
      told_at: orNull(time("when the receiver accepted it; null until then")),
      fault: orNull(text("why the last attempt failed; null if it did not")),
    },
    key: ["judgement_id", "channel"],
    indexes: [{ columns: ["channel", "state"] }],
  },
  alert_places: {
    meaning: "Receivers of alerts",
    columns: {
      channel: text("the receiver: its name, or its address without secrets"),
      address: text("first digits of a hash of its address, to detect a change"),
      ended_at: orNull(time("since when it refuses alerts; null while it accepts them")),
      fault: orNull(text("its answer at that time")),
    },
    key: ["channel"],
  },
});
