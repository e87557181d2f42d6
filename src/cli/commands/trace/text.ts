import type { OpenChange } from "../../../archive/nodes/probes.ts";
import type { MadeAt } from "../../../archive/times/ledger-times.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { aboutTime, formatDuration } from "../../../base/time.ts";
import { isExact, type TracedChange } from "../../../crawl/trace/bisect.ts";
import type { TraceSummary } from "../../../crawl/trace/trace.ts";

/** Changes that would be traced, and the probes that this takes at least. */
export type TracePlan = { readonly changes: readonly OpenChange[]; readonly leastProbes: number };

/** What a trace found, a line for each change, then what it cost. `times` are those of the changes, in their order. */
export function traceText(summary: TraceSummary, times: readonly MadeAt[]): string {
  const { changes, probes, leastProbes, inexact, stoppedBy, requests, durationMs } = summary;
  if (changes.length === 0) return "nothing to trace: every change between snapshots is exact already, or there is none\n";
  const exact = changes.filter(isExact).length;
  const lines = changes.map((change, place) => changeText(change, times[place]));
  lines.push(
    `${exact} of ${plural(changes.length, "change")} exact; ${plural(probes, "probe")}, at least ${leastProbes} needed (⌈log2⌉ of each interval); ` +
      `${plural(requests, "request")} in ${formatDuration(durationMs)}`,
    ...(inexact > 0
      ? [
          `${plural(inexact, "change")} not exact yet${stoppedBy === "budget" ? ": the budget of this run is spent, and the next one continues" : ""}`,
        ]
      : []),
    "a value that changed and changed back between two reads is not seen: an interval may hold more changes",
  );
  return `${lines.join("\n")}\n`;
}

function changeText(change: TracedChange, made: MadeAt | undefined): string {
  const { address, module, after, atOrBefore, probes, least } = change;
  const subject = printable(module === undefined ? `${address}: authentication key` : `${address}::${module}`, 300);
  const what = changeWord(change);
  const time = made && aboutTime(made.ledgerTime, made.ledgerTimeErrorMs);
  const cost = probes === 0 ? "" : ` (${plural(probes, "probe")}, at least ${least} needed)`;
  if (change.state === "exact") return `${subject} ${what} at ledger version ${atOrBefore}${time === undefined ? "" : `, ${time}`}${cost}`;
  const why = change.state === "failed" ? printable(change.reason ?? "failed", 500) : whyInexact[change.state];
  return `${subject} ${what}: at least one change after ${after}, at or before ${atOrBefore}; ${why}${cost}`;
}

const whyInexact = {
  open: "the same command continues",
  unreadable: "the node has pruned what lies between",
  behind: "the node has not reached the versions between yet",
} as const satisfies Partial<Record<TracedChange["state"], string>>;

function changeWord({ module, from, to }: TracedChange): string {
  if (module === undefined) return "rotated";
  return from === null ? "added" : to === null ? "removed" : "changed";
}

export function tracePlanText({ changes, leastProbes }: TracePlan): string {
  const lines = changes.map(
    ({ address, module, after, atOrBefore }) =>
      `would trace ${printable(module === undefined ? `the authentication key of ${address}` : `${address}::${module}`, 300)} between ${after} and ${atOrBefore}`,
  );
  return `${[...lines, `${plural(changes.length, "change")}, at least ${plural(leastProbes, "probe")}; dry run: nothing was asked or written`].join("\n")}\n`;
}
