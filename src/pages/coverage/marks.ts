import type { SnapshotCounts } from "../../archive/read/status-queries.ts";
import { plural } from "../../base/plural.ts";
import type { PointState } from "../../work/runs/backfill.ts";
import type { RunRecord } from "../../work/runs/runs.ts";
import { type Html, html } from "../html/html.ts";
import { dateTime, text } from "../html/texts.ts";

export type Column = { readonly version: bigint; readonly state: PointState | "sealed"; readonly snapshot?: SnapshotCounts };

/** What a run that sealed nothing came to, where that is worth a mark: it took no newer head, lost versions, or failed. */
const failures = { stale: "no newer head", lost: "lost to the horizon", failed: "no snapshot", wrongChain: "another chain" } as const;
type Failure = keyof typeof failures;

const DAY_MS = 86_400_000;
const LISTED = 5;

/** Where a mark stands: before the column of this number (as many as there are columns: after the last). */
export type Mark = { readonly before: number; readonly kind: "break" | "stale" | "lost" | "failed"; readonly words: string };

/** Days without a snapshot between two columns: what was not read then may be gone. */
export function breakMarks(columns: readonly Column[]): Mark[] {
  return columns.flatMap(({ snapshot }, before) => {
    const last = columns[before - 1]?.snapshot;
    if (snapshot === undefined || last === undefined || last.createdAt === 0) return [];
    const days = Math.round((snapshot.createdAt - last.createdAt) / DAY_MS) - 1;
    return days < 1 ? [] : [{ before, kind: "break" as const, words: `${plural(days, "day")} without a snapshot` }];
  });
}

/** Runs that came to no snapshot, between the snapshots that they fell between; those of one kind and place are one mark. */
export function runMarks(columns: readonly Column[], runs: readonly RunRecord[]): Mark[] {
  const dated = columns.flatMap(({ snapshot }, i) =>
    snapshot === undefined || snapshot.createdAt === 0 ? [] : [{ i, at: snapshot.createdAt }],
  );
  const [first, last] = [dated[0], dated.at(-1)];
  if (first === undefined || last === undefined) return [];
  const failed = runs.flatMap(({ command, startedAt, exit }) => {
    const failure = Object.hasOwn(failures, exit ?? "") ? (exit as Failure) : undefined;
    if (failure === undefined || startedAt < first.at) return [];
    return [{ before: (dated.findLast(({ at }) => at <= startedAt)?.i ?? last.i) + 1, failure, command, startedAt }];
  });
  return [...Map.groupBy(failed, ({ before, failure }) => `${before} ${failure}`).values()].map((of) => {
    const [{ before, failure }] = of as [(typeof failed)[number]];
    const listed = of.slice(0, LISTED).map(({ command, startedAt }) => `${text(command, 30)} of ${dateTime(startedAt)} UTC`);
    const rest = of.length > LISTED ? ` and ${of.length - LISTED} more` : "";
    return { before, kind: failure === "wrongChain" ? "failed" : failure, words: `${failures[failure]}: ${listed.join(", ")}${rest}` };
  });
}

/** The marks as shapes over the edges between columns: a triangle for days without a snapshot, a diamond for a run. */
export function markShapes(marks: readonly Mark[], x: (before: number) => string, y: number): Html[] {
  const taken = new Map<number, number>();
  return marks.map(({ before, kind, words }) => {
    const row = taken.get(before) ?? 0;
    taken.set(before, row + 1);
    const top = y + 10 * row;
    const shape = kind === "break" ? "M-4 8h8l-4 -8z" : "M0 0l4 4l-4 4l-4 -4z";
    const drawn = html`<title>${words}</title><path d="${shape}"/>`;
    return html`<svg x="${x(before)}" y="${top}" overflow="visible"><g class="mark ${kind}">${drawn}</g></svg>`;
  });
}
