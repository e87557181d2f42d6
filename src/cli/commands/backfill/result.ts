import { all, always, either, from, list, maybe, object, orNull, text, time, truth, version, whole, word } from "../../../base/result.ts";
import type { BackfillSummary } from "../../../crawl/backfill/backfill.ts";
import type { BackfillPlan } from "../../../crawl/backfill/backfill-plan.ts";
import type { PointState } from "../../../work/runs/backfill.ts";
import { spent } from "../../output/result-fields.ts";

const point = { ledger_version: from("version", version), wanted_time: orNull(time), time_error_ms: orNull(whole) };

const counted = (state: PointState) => from(({ points }: BackfillSummary) => points.filter((one) => one.state === state).length, whole);

/** What a backfill came to, at the node or at an archive node. */
export const summaryResult = object({
  archive: maybe(text),
  chain_id: whole,
  versions: from(
    "points",
    list(object({ ...point, state: text, reason: orNull(text), ...all(whole, "accounts_read", "accounts_inferred") })),
  ),
  observed: counted("observed"),
  inferred: counted("inferred"),
  gaps: counted("gaps"),
  refused: counted("refused"),
  planned: counted("planned"),
  lost: counted("lost"),
  lost_now: whole,
  stopped_by: orNull(text),
  requests: whole,
  duration_ms: whole,
});

/** What `--dry-run` prints. */
export const planResult = object({
  archive: maybe(text),
  dry_run: always(true, truth),
  chain_id: whole,
  versions: from(refusedOf, list(object({ ...point, accounts: whole, refused: orNull(word("pruned", "time", "budget")) }))),
  requests: whole,
  duration_ms: orNull(whole),
});

function refusedOf(plan: BackfillPlan) {
  return plan.points.map((one) => ({ ...one, refused: plan.refused.get(one.version) }));
}

/** What `backfill --json` prints. */
export const backfillResult = either<unknown>([summaryResult, planResult, spent]);
