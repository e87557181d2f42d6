import {
  all,
  always,
  either,
  from,
  list,
  maybe,
  number,
  object,
  orNull,
  perhaps,
  sha256,
  text,
  truth,
  u64,
  version,
  whole,
  word,
} from "../../../base/result.ts";
import type { DryRun } from "../../../crawl/night/dry-run.ts";
import { type SyncSummary, sealedDespiteSignal } from "../../../crawl/night/summary.ts";
import type { ExitName } from "../../../exit-codes.ts";
import { outlook } from "../../output/result-fields.ts";

const ofVersion = { chain_id: whole, ledger_version: version };
const head = perhaps("head", {
  head_version: from("ledgerVersion", version),
  head_age_ms: from("ageMs", whole),
  head_risen_by: from("risenBy", orNull(u64)),
  no_newer_state: from("isStale", truth),
});

const readResult = object({
  ...ofVersion,
  status: word("sealed", "sealed_with_gaps", "unsealed"),
  ...all(whole, "accounts", "modules", "new_bytecodes"),
  empty_accounts: from("empty", whole),
  ...all(whole, "changed_modules", "requests", "retries", "bytes_received", "gaps"),
  digest: orNull(sha256),
  duration_ms: whole,
  stopped_by: from((summary: SyncSummary) => (sealedDespiteSignal(summary) ? summary.stoppedBy : undefined), maybe(text)),
  sealed_by: maybe(text),
  others_go_on: maybe(truth),
  accounts_left: maybe(whole),
  ...perhaps("failing", { node_failures: from("attempts", whole), node_failure: from("last", text) }),
  modules_doubtful: from("doubtful", maybe(whole)),
  modules_undecoded: from("undecoded", maybe(whole)),
  accounts_before: from("fewerThan", maybe(whole)),
  accounts_passed_over: from("passedOver", maybe(whole)),
  records_unread: from("unreadRecords", maybe(whole)),
  ...perhaps("ages", {
    targets: whole,
    targets_never_read: from("neverRead", whole),
    oldest_reading_ms: from("oldestMs", orNull(whole)),
    median_reading_ms: from("medianMs", orNull(whole)),
  }),
  ...perhaps("outlook", outlook),
  ...head,
  ...perhaps("retried", { gaps_retried: from("gaps", whole), gaps_filled: from("filled.length", whole) }),
});

/** Of a snapshot that was held before, and of which nothing was read: its counts are those of another run. */
const heldResult = object({
  ...ofVersion,
  status: always("held", word("held")),
  ...all(whole, "requests", "retries", "bytes_received", "duration_ms"),
  stopped_by: from("stoppedBy", maybe(text)),
  records_unread: from("unreadRecords", maybe(whole)),
  ...head,
});

export const snapshotResult = either<object, SyncSummary>([readResult, heldResult], (summary) =>
  summary.isHeld ? heldResult.print(summary) : readResult.print(summary),
);

export const dryRunResult = object({
  dry_run: always(true, truth),
  ...ofVersion,
  held: from("isHeld", truth),
  accounts: whole,
  accounts_passed_over: from("passedOver", maybe(whole)),
  ...perhaps("outlook", outlook),
  requests_at_least: whole,
  duration_ms: from(({ times: [wanted] }: DryRun) => wanted?.durationMs, orNull(whole)),
  paces: from("times", list(object({ name: text, per_second: number, duration_ms: whole }))),
  bytes_received: from("bytes.received", orNull(whole)),
  bytes_stored: from("bytes.stored", orNull(whole)),
  above_horizon: version,
  unfinished: list(object({ ledger_version: version, accounts_left: whole, pruned: from("isPruned", truth) })),
});

export const syncResult = either<unknown>([readResult, heldResult, dryRunResult]);

export type Synced = { readonly exit: ExitName; readonly summaries: readonly SyncSummary[] };

/** The last snapshot's result, as `night --json` prints it. */
export function lastResult(end: Synced): object {
  return snapshotResult.print(end.summaries.at(-1) as SyncSummary);
}
