import type { MadeAt } from "../../../archive/times/ledger-times.ts";
import {
  address,
  all,
  always,
  either,
  from,
  list,
  maybe,
  object,
  orNull,
  sha256,
  text,
  truth,
  version,
  whole,
  within,
  word,
} from "../../../base/result.ts";
import { isExact, type TracedChange } from "../../../crawl/trace/bisect.ts";
import type { TraceSummary } from "../../../crawl/trace/trace.ts";
import { madeAt, spent } from "../../output/result-fields.ts";

const bounds = { after_version: from("after", version), at_or_before_version: from("atOrBefore", version) };
const unknown: MadeAt = { ledgerTime: null, ledgerTimeErrorMs: null };

const change = object({
  address,
  module: orNull(text),
  kind: from(({ module }: TracedChange) => (module === undefined ? "authentication_key" : "module"), word("module", "authentication_key")),
  ...bounds,
  is_exact: from(isExact, truth),
  ...within("time", madeAt),
  from_key: from((one: TracedChange) => (one.module === undefined ? one.from : undefined), maybe(orNull(text))),
  to_key: from((one: TracedChange) => (one.module === undefined ? one.to : undefined), maybe(orNull(text))),
  from_sha256: from((one: TracedChange) => (one.module === undefined ? undefined : one.from), maybe(orNull(sha256))),
  to_sha256: from((one: TracedChange) => (one.module === undefined ? undefined : one.to), maybe(orNull(sha256))),
  state: word("exact", "open", "unreadable", "behind", "failed"),
  reason: orNull(text),
  probes: whole,
  least_probes: from("least", whole),
});

/** What a node, or an archive node by its address, has answered, and when the ledger made each change. */
export type Traced = { readonly archive?: string; readonly summary: TraceSummary; readonly times: readonly MadeAt[] };

/** What a trace found, at the node or at an archive node. */
export const summaryResult = object({
  archive: maybe(text),
  changes: from(({ summary, times }: Traced) => summary.changes.map((one, i) => ({ ...one, time: times[i] ?? unknown })), list(change)),
  exact: from(({ summary }: Traced) => summary.changes.filter(isExact).length, whole),
  ...within("summary", { inexact: whole, stopped_by: orNull(text), ...all(whole, "probes", "least_probes", "requests", "duration_ms") }),
});

/** What `--dry-run` prints. */
export const planResult = object({
  dry_run: always(true, truth),
  changes: list(object({ address, module: orNull(text), ...bounds })),
  least_probes: whole,
});

/** What `trace --json` prints. */
export const traceResult = either<unknown>([summaryResult, planResult, spent]);
