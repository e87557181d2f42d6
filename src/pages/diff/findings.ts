import { type Severity, severities } from "../../abi/compare/severity.ts";
import type { ReportedFinding, ReportedModule } from "../../questions/diff/report.ts";
import { audienceText, itemText, userText } from "../../questions/diff/sentences.ts";
import { Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { severityLabel, text } from "../html/texts.ts";

/** Longer witnesses are cut; the sources beside have all of it. */
const WITNESS_MAX = 2000;

/** The findings of a module by severity, the worst first, each with an address of its own. */
export function findingsList(
  { module, findings }: ReportedModule,
  links: Links,
  versions: { readonly from: bigint; readonly to: bigint },
): Html {
  const taken = new Map<string, number>();
  const named = findings.map((finding) => ({ finding, anchor: anchorOf(finding, taken) }));
  const group = (severity: Severity): Html => {
    const of = named.filter(({ finding }) => finding.worst === severity);
    if (of.length === 0) return html``;
    return html`<h3>${severityLabel(severity)} <span class="dim">${of.length}</span></h3><ol class="findings">${of.map(({ finding, anchor }) => findingItem(finding, anchor, links.diff(module, versions, anchor)))}</ol>`;
  };
  return html`${severities.map(group)}`;
}

/** A name that stays the same as long as the finding does: rule and item, and a number where both come again. */
function anchorOf({ rule, item }: ReportedFinding, taken: Map<string, number>): string {
  const stem = `${rule}.${(item.name ?? item.kind).slice(0, 160).replaceAll(/[^\w$:.-]/g, "-")}`;
  const n = (taken.get(stem) ?? 0) + 1;
  taken.set(stem, n);
  return n === 1 ? stem : `${stem}.${n}`;
}

function findingItem(finding: ReportedFinding, anchor: string, href: string): Html {
  const { rule, worst, before, after } = finding;
  const users = userText(finding);
  return html`<li class="${worst}" id="${anchor}"><a class="link" href="${href}" aria-label="Link to this finding">#</a><p><code>${rule}</code> <b>${text(itemText(finding), 300)}</b></p>${before === null ? "" : html`<code class="was">− ${witness(before)}</code>`}${after === null ? "" : html`<code class="is">+ ${witness(after)}</code>`}<p class="small dim">${audienceText(finding)}</p>${users === undefined ? "" : html`<p class="small">${text(users, WITNESS_MAX)}</p>`}</li>`;
}

/** An item in a line of Move, or an error with its description, which may have several. */
function witness(words: string): Html {
  return Html.preserved(words.length > WITNESS_MAX ? `${words.slice(0, WITNESS_MAX)}…` : words);
}
