import { statusQueries } from "../../archive/read/status-queries.ts";
import { plural } from "../../base/plural.ts";
import { parseU64 } from "../../base/u64.ts";
import { errorClasses } from "../../node/protocol/error-classes.ts";
import { html } from "../html/html.ts";
import { accountLink, count, madeAt, nothing, prose, table, text } from "../html/texts.ts";
import type { PageHandler } from "../page.ts";

const LISTED = 500;

/** What to do about gaps of a reason, where it is not to wait for the next night. */
const advice: Readonly<Record<string, string>> = {
  pruned: "This node will not answer any more. An archive node may: `movedex backfill --archive URL`.",
  unable: "Ask another node: the operator of this one has not switched on what is needed.",
  inferred: "Ask a node itself, and no service that answers for other versions.",
  too_large: "Look at what the account answers: no chain stores as much.",
  bad_answer: "Ask another node with `--rpc`; `movedex doctor` says what is odd about this one.",
  unknown_path: "Check the address: it has to end with `/v1`.",
};

const outlook = { final: "it cannot be read from this node", open: "will be tried again while the node has this version" } as const;

/** `/gaps`: which accounts gave no answer, why, and what to do. */
export const gapsPage: PageHandler = async ({ archive: { engine }, links, query }) => {
  const night = parseU64(query("night") ?? "");
  const reasons = [...(await statusQueries(engine).gapReasons())];
  const total = reasons.reduce((sum, [, n]) => sum + n, 0);
  const gaps = await statusQueries(engine).listGaps({ limit: LISTED, ...(night === undefined ? {} : { ledgerVersion: night }) });
  const summary = table(
    "Gaps by reason",
    ["Reason", "Gaps", "What it means", "What to do"],
    reasons.map(([reason, n]) => [
      html`<code>${text(reason, 60)}</code>`,
      html`<span class="num">${count(n)}</span>`,
      Object.hasOwn(errorClasses, reason) ? errorClasses[reason as keyof typeof errorClasses].meaning : "see what the node said",
      html`<span class="mid-cell">${prose(advice[reason] ?? "Nothing: the next `movedex sync` tries again.")}</span>`,
    ]),
  );
  const rows = gaps.map((gap) => [
    accountLink(links, gap.address),
    html`<a class="num" href="${links.changes({ night: gap.ledgerVersion })}">${count(gap.ledgerVersion)}</a>${madeAt(gap)}`,
    html`<code>${text(gap.reason, 60)}</code>`,
    `tried ${plural(gap.attempts, "time")}; ${outlook[gap.isFinal ? "final" : "open"]}`,
    html`<span class="small wide-cell">${text(gap.message, 300)}</span>`,
  ]);
  const which = night === undefined ? "" : html` <span class="dim">of version <span class="num">${count(night)}</span></span>`;
  const more =
    gaps.length < LISTED
      ? ""
      : html`<p class="dim">The newest ${count(LISTED)} are listed; <code>movedex gaps</code> and the view <code>gaps</code> have all.</p>`;
  const lead =
    total === 0
      ? "Every snapshot has an answer for every account it was asked for."
      : `${plural(total, "answer")} missing. A gap is no deletion: it is not known what stood there.`;
  const heads = ["Account", "Version", "Reason", "What comes", "What the node said"];
  const list =
    rows.length === 0 ? nothing("No gap at this version.") : html`<div class="stack">${table("Gaps", heads, rows, "sortable")}</div>`;
  const sections = html`<section><h2>Why</h2><div class="narrow">${summary}</div></section>
<section><h2>Accounts</h2>${list}${more}</section>`;
  const crumbs = html`<a href="${links.coverage()}">Coverage</a> · <a href="${links.going()}">what goes tomorrow</a>`;
  const body = html`<p class="crumbs">${crumbs}</p><h1>Gaps${which}</h1>
<p class="lead">${lead}${night === undefined ? "" : html` <a href="${links.gaps()}">all versions</a>`}</p>
${total === 0 ? "" : sections}`;
  return { title: "Gaps", section: "coverage", body };
};
