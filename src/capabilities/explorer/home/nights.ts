import { grouped, plural } from "../../../core/base/plural.ts";
import { DAY_MS } from "../../../core/base/time.ts";
import type { SnapshotCounts } from "../../../core/db/archive/read/status-queries.ts";
import type { RunRecord } from "../../../core/work/runs/runs.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { legend, nothing } from "../../pages/html/elements.ts";
import { dateTime, prose } from "../../pages/html/texts.ts";

/**
 * How a night went: `done`, sealed with `gaps`, a version `lost` to the horizon, no newer state (`stale`), `failed`, still
 * `open`; or nothing was run that left a trace (`none`).
 */
type NightKind = "done" | "gaps" | "lost" | "stale" | "failed" | "open" | "none";
type Night = { readonly kind: NightKind; readonly atMs: number; readonly words: string; readonly version: bigint | undefined };

const SHOWN = 60;
/** Moments before this are no dates: snapshots of an archive that was made from files have none of their own. */
const DATED_MS = Date.UTC(2020, 0, 1);

const meanings: Readonly<Record<NightKind, string>> = {
  done: "sealed",
  gaps: "sealed with gaps",
  lost: "lost to the horizon",
  stale: "no newer state",
  failed: "no snapshot",
  open: "not finished",
  none: "no run",
};

/** The last nights as a strip, the newest at the right: snapshots, and runs that came to none. */
export function nightsStrip(snapshots: readonly SnapshotCounts[], runs: readonly RunRecord[], links: Links): Html {
  const seenNights = [...snapshots.map(ofSnapshot), ...runs.flatMap(ofRun)].sort(
    (a, b) => a.atMs - b.atMs || Number((a.version ?? 0n) - (b.version ?? 0n)),
  );
  const nights = withMissing(seenNights.slice(-SHOWN)).slice(-SHOWN);
  if (nights.length === 0) return nothing(prose("No night yet. `movedex sync` makes the first."));
  const cell = ({ kind, words, version }: Night): Html => {
    const inside = html`<span class="sr">${words}</span>`;
    const content = version === undefined ? inside : html`<a href="${links.changes({ night: version })}">${inside}</a>`;
    return html`<li class="${kind}" title="${words}">${content}</li>`;
  };
  return html`<ol class="strip" aria-label="The last nights, the newest last">${nights.map(cell)}</ol>
${legend(meanings, new Set(nights.map(({ kind }) => kind)))}`;
}

const ofStatus: Readonly<Record<SnapshotCounts["status"], NightKind>> = {
  sealed: "done",
  sealed_with_gaps: "gaps",
  unsealed: "open",
  abandoned: "lost",
};

function ofSnapshot({ status, createdAt, sealedAt, ledgerVersion, accounts, gaps }: SnapshotCounts): Night {
  const kind = ofStatus[status];
  const when = createdAt === 0 ? "" : `${dateTime(sealedAt ?? createdAt)} UTC: `;
  const missing = gaps === 0 ? "" : `, ${plural(gaps, "gap")}`;
  return {
    kind,
    atMs: createdAt === 0 ? Number(ledgerVersion) : createdAt,
    version: kind === "open" || kind === "lost" ? undefined : ledgerVersion,
    words: `${when}version ${grouped(ledgerVersion)} ${meanings[kind]}, ${plural(accounts, "account")}${missing}`,
  };
}

/** Runs that sealed a snapshot are seen by it; what was asked of the archive is no night. */
function ofRun({ command, startedAt, exit }: RunRecord): Night[] {
  const kinds: Readonly<Record<string, NightKind>> = { lost: "lost", stale: "stale", failed: "failed", wrongChain: "failed" };
  const kind = kinds[exit ?? ""];
  if (kind === undefined) return [];
  return [{ kind, atMs: startedAt, version: undefined, words: `${dateTime(startedAt)} UTC: ${command}, ${meanings[kind]}` }];
}

/** Days between two nights without any: the strip shows them, since what was not read then may be gone. */
function withMissing(nights: readonly Night[]): Night[] {
  return nights.flatMap((night, i) => {
    const before = nights[i - 1];
    if (before === undefined || before.atMs < DATED_MS) return [night];
    const missing = Math.min(SHOWN, Math.round((night.atMs - before.atMs) / DAY_MS) - 1);
    const day = (n: number): Night => {
      const atMs = before.atMs + n * DAY_MS;
      return { kind: "none", atMs, version: undefined, words: `${dateTime(atMs).slice(0, 10)}: ${meanings.none}` };
    };
    return [...Array.from({ length: Math.max(0, missing) }, (_, n) => day(n + 1)), night];
  });
}
