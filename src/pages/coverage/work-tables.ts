import { formatBytes } from "../../base/byte-count.ts";
import { plural } from "../../base/plural.ts";
import { formatDuration } from "../../base/time/duration.ts";
import type { HorizonForecast } from "../../crawl/horizon/horizon-forecast.ts";
import type { BackfillPoint, PointState } from "../../work/runs/backfill.ts";
import type { RunRecord } from "../../work/runs/runs.ts";
import { type Html, html } from "../html/html.ts";
import { count, dateTime, nothing, table, text } from "../html/texts.ts";

/** Versions that are listed of those that are still to be read, or were lost. */
const LISTED = 50;

/** What backfill was asked for, what became of it, and what is still to be read before it is gone. */
export function backfillTable(points: readonly BackfillPoint[], forecast: HorizonForecast | undefined, now: number): Html {
  if (points.length === 0) return nothing("No older version was asked for.");
  const states = Map.groupBy(points, ({ state }) => state);
  const summary = [...states].map(([state, of]) => `${plural(of.length, "version")} ${state}`).join(", ");
  const open: readonly PointState[] = ["planned", "refused", "lost", "gaps"];
  const listed = points.filter(({ state }) => open.includes(state));
  const rows = listed.slice(0, LISTED).map(({ version, wantedTime, state, reason }) => {
    const left = state === "planned" || state === "refused" ? forecast?.leftMs(version, now)?.expected : undefined;
    return [
      html`<span class="num">${count(version)}</span>`,
      wantedTime === null ? "" : dateTime(wantedTime),
      state,
      left === undefined || !Number.isFinite(left) ? "" : left === 0 ? "gone" : `gone in ${formatDuration(left)}`,
      text(reason ?? "", 200),
    ];
  });
  return html`<p>${summary}.</p>${rows.length === 0 ? "" : table("Versions to read, lost or with gaps", ["Version", "Stands for", "State", "Left", "Why"], rows)}${listed.length > LISTED ? html`<p class="dim">and ${count(listed.length - LISTED)} more</p>` : ""}`;
}

/** What was run, how it ended, and what it cost. */
export function runTable(runs: readonly RunRecord[]): Html {
  if (runs.length === 0) return nothing("No run is recorded.");
  const number = (value: number | bigint | null) => html`<span class="num">${value === null ? "" : count(value)}</span>`;
  const rows = runs.map((run) => [
    dateTime(Number(run.started_at)),
    html`<code>${text(run.command, 60)}</code>`,
    run.finished_at === null ? html`<span class="dim">running, or died</span>` : text(run.exit ?? "", 30),
    run.finished_at === null ? "" : formatDuration(Number(run.finished_at) - Number(run.started_at)),
    number(run.requests),
    number(run.retries),
    run.bytes_received === null ? "" : formatBytes(Number(run.bytes_received)),
    number(run.accounts),
    number(run.gaps),
    run.ledger_version === null ? "" : number(run.ledger_version),
  ]);
  const heads = ["Started, UTC", "Command", "Ended", "Took", "Requests", "Retries", "Received", "Accounts", "Gaps", "Version"];
  return table("Runs", heads, rows, { isSortable: true });
}
