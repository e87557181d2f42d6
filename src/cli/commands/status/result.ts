import {
  all,
  from,
  list,
  named,
  number,
  object,
  orNull,
  perhaps,
  sha256,
  text,
  time,
  truth,
  version,
  whole,
  within,
} from "../../../base/result.ts";
import { madeAt, outlook, snapshotStatus } from "../../output/result-fields.ts";
import type { Status } from "./read-status.ts";

/** How far ahead the horizon is foretold. */
const DAY_MS = 86_400_000;

const snapshot = {
  ledger_version: version,
  status: snapshotStatus,
  created_at: time,
  sealed_at: orNull(time),
  accounts_planned: from("planned", whole),
  accounts_left: from("left", whole),
  ...all(whole, "accounts", "modules", "changed_modules", "gaps"),
  accounts_passed_over: from("passedOver", orNull(whole)),
  records_unread: from("unreadRecords", whole),
  digest: orNull(sha256),
  ...madeAt,
};

const unfinished = object({
  ...within("snapshot", snapshot),
  left_ms: from("left.expected", orNull(whole)),
  left_ms_at_worst: from("left.worst", orNull(whole)),
  urgent: from("isUrgent", truth),
});

const run = object({
  id: whole,
  ...all(text, "command", "app_version"),
  exit: orNull(text),
  ledger_version: orNull(version),
  ...all(orNull(whole), "requests", "retries", "bytes_received", "accounts", "modules", "new_bytecodes", "gaps"),
  started_at: time,
  finished_at: orNull(time),
});

const node = object({
  node: text,
  ...within("latest", { sampled_at: time, head_version: version }),
  oldest_version: from("oldest", version),
  horizon_versions_per_second: from("speed", orNull(number)),
  gone_in_a_day_below: from("gone.expected", orNull(version)),
  gone_in_a_day_below_at_worst: from("gone.worst", orNull(version)),
});

/** What `status --json` prints. */
export const statusResult = object({
  database: from("path", text),
  ...within("holdings", {
    database_bytes: from("fileBytes", whole),
    chain_id: orNull(whole),
    snapshots: whole,
    oldest_version: from("oldestSnapshot", orNull(version)),
    newest_version: from("newestSnapshot", orNull(version)),
    ...all(whole, "accounts", "targets"),
  }),
  targets_never_read: from("ages.neverRead", orNull(whole)),
  oldest_reading_ms: from("ages.oldestMs", orNull(whole)),
  median_reading_ms: from("ages.medianMs", orNull(whole)),
  ...perhaps("outlook", outlook),
  ...within("holdings", {
    bytecodes: whole,
    bytecodes_undecoded: from("undecodedBytecodes", whole),
    bytecodes_underived: from("underivedBytecodes", whole),
    ...all(whole, "bytecode_bytes", "abis", "functions", "structs", "gaps"),
  }),
  gap_reasons: from("gaps", named(whole)),
  newest_snapshot: from("newest", orNull(object(snapshot))),
  unfinished: from(unfinishedOf, list(unfinished)),
  backfill_wanted: from("wanted", list(version)),
  last_run: orNull(run),
  nodes: from(({ forecasts, nowMs }: Status) => forecasts.map((one) => ({ ...one, gone: one.prunedBy(nowMs + DAY_MS) })), list(node)),
});

function unfinishedOf({ unfinished, forecasts: [forecast], urgent, nowMs }: Status) {
  return unfinished.map((snapshot) => ({
    snapshot,
    left: forecast?.leftMs(snapshot.ledgerVersion, nowMs),
    isUrgent: urgent.has(snapshot.ledgerVersion),
  }));
}

function _tenths(value: number): number {
  return Number(value.toFixed(1));
}
