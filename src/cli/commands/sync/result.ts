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
  within,
  word,
} from "../../../base/result.ts";
import type { DryRun } from "../../../crawl/night/dry-run.ts";
import { isSealedInSpite, type SyncSummary } from "../../../crawl/night/summary.ts";
import { outlook, spent } from "../../output/result-fields.ts";

/** What is printed of each snapshot of a run. */
export const snapshotResult = object({
  chain_id: whole,
  ledger_version: version,
  status: word("sealed", "sealed_with_gaps", "unsealed"),
  ...all(whole, "accounts", "modules", "new_bytecodes"),
  empty_accounts: from("empty", whole),
  ...all(whole, "changed_modules", "requests", "retries", "bytes_received", "gaps"),
  digest: orNull(sha256),
  duration_ms: whole,
  stopped_by: from((summary: SyncSummary) => (isSealedInSpite(summary) ? summary.stoppedBy : undefined), maybe(text)),
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
  ...perhaps("head", {
    head_version: from("ledgerVersion", version),
    head_age_ms: from("ageMs", whole),
    head_risen_by: from("risenBy", orNull(u64)),
    no_newer_state: from("isStale", truth),
  }),
  ...perhaps("retried", { gaps_retried: from("gaps", whole), gaps_filled: from("filled", whole) }),
  ...perhaps("abis", {
    abis_compared: from("compared", whole),
    abis_explained: from("explained", whole),
    abi_findings: from("findings", whole),
    node_build: from("build", orNull(text)),
  }),
});

/** What `--dry-run` prints. */
export const dryRunResult = object({
  dry_run: always(true, truth),
  chain_id: whole,
  ledger_version: version,
  held: from("isHeld", truth),
  accounts: whole,
  ...perhaps("choice", { accounts_passed_over: from("passedOver", whole), ...within("outlook", outlook) }),
  requests_at_least: whole,
  duration_ms: from(({ times: [wanted] }: DryRun) => wanted?.durationMs, orNull(whole)),
  paces: from("times", list(object({ name: text, per_second: number, duration_ms: whole }))),
  bytes_received: from("bytes.received", orNull(whole)),
  bytes_stored: from("bytes.stored", orNull(whole)),
  above_horizon: version,
  unfinished: list(object({ ledger_version: version, accounts_left: whole, pruned: from("isPruned", truth) })),
});

/** What `sync --json` prints. */
export const syncResult = either<unknown>([snapshotResult, dryRunResult, spent]);
