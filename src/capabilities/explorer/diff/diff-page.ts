import { compare } from "../../../core/base/lists.ts";
import { grouped } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { rules } from "../../changes/compare/rules/rules.ts";
import { audiences, type Severity, severities } from "../../changes/compare/severity.ts";
import { type Comparison, compareSides } from "../../changes/compare/sides.ts";
import { carriedInto } from "../../changes/diff/carried.ts";
import { causeOf, crowdsIn, itemCount } from "../../changes/diff/crowds.ts";
import { type DiffReport, makeReport, type ReportedFinding, type ReportedModule } from "../../changes/diff/report.ts";
import * as sentences from "../../changes/diff/sentences.ts";
import { moduleSide } from "../../changes/diff/sides.ts";
import { weighingAt } from "../../changes/diff/users.ts";
import { rawText } from "../../changes/documents/document.ts";
import { type Bounded, bounded, Html, html } from "../../changes/pages/html.ts";
import { audienceChoice, checkbox, nothing, severityLabel, versionChoice } from "../../pages/html/elements.ts";
import { accountLink, capital, lookedFor, madeAt, num, prose, shortName, type Times, withParted } from "../../pages/html/texts.ts";
import { type PageCall, type PageHandler, parseSnapshot, readChoice, readSubject } from "../../pages/page.ts";
import { timesOf } from "../version-times.ts";
import { sourcesView } from "./sources-view.ts";

/** Characters of HTML of the findings at first view, and with whole sources. */
const [FINDINGS_VIEW_MAX, FINDINGS_MAX] = [50_000, 500_000];
/** Characters of a finding's line, and of a witness: the sources beside have all of it. */
const [LINE_MAX, WITNESS_MAX] = [120, 2000];
/** Characters of a chain of calls and of what is at its end: so many are shown, the others unfold. */
const [CARRIED_SHOWN, CARRIED_MAX] = [240, 2000];

type Versions = { readonly from: bigint; readonly to: bigint };

/** `/diff/{address}/{name}?from=V&to=W`: the findings of `diff` beside the two sources. */
export const diffPage: PageHandler = async (call) => {
  const { archive, links, query } = call;
  const { address, module: name } = readSubject(call);
  const id: ModuleId = { address, name };
  const before = await moduleSide(archive.modules, id, parseSnapshot(query("from") ?? "previous"));
  const after = await moduleSide(archive.modules, id, parseSnapshot(query("to") ?? "latest"));
  const versions = { from: before.version, to: after.version };
  const comparison = await compareSides(before, after, query("code") !== undefined);
  const report = await reportOf(call, id, comparison, versions);
  const history = await archive.modules.historyOf(id);
  const offered = [...new Set([...Object.values(versions), ...history.map(({ from }) => from)])].sort(compare).toReversed();
  const times = await timesOf(archive.engine, offered);
  const [module] = report.modules;
  // Of a module that is gone the newest page does not exist.
  const at = after.module === undefined ? before.version : history.at(-1)?.to === null ? undefined : after.version;
  const missing = module?.code && sentences.missingCodeSentence(module.code);
  const side = (word: string, version: bigint): Html =>
    html`<span class="unit">${word} ${num(version)}${madeAt(times.get(version))}</span>`;
  const isFull = query("full") !== undefined;
  const findings = bounded(isFull ? FINDINGS_MAX : FINDINGS_VIEW_MAX);
  const fullLink = links.diff(id, { audience: query("audience"), code: query("code"), ...versions, full: "1" });
  const codeLink = links.diff(id, { audience: query("audience"), code: "1", ...versions });
  const toCode = module && query("code") === undefined && html`<a class="more" href="${codeLink}">with instructions</a>`;
  const renamed = comparison.differences[0]?.renamed ?? [];
  // What is not known on one side is no deletion: then there is nothing to show beside the other.
  const isCompared = report.incomparable.length === 0;
  const show = { isFull, fullLink, code: module?.code, renamed };
  const sources = isCompared && (await sourcesView(archive.modules, [before, after], links, show));
  const beside = html`<div class="beside"><section><h2>Findings</h2>
${module === undefined ? nothing("None.") : findingsList(module, call, versions, findings)}
${findings.ending(isFull ? undefined : fullLink)}
${report.usage && html`<p class="small dim">Users at ${grouped(after.version)}. ${lookedFor(report.usage)}</p>`}</section>
<section><h2>Sources ${toCode}</h2>${sources}${missing && html`<p class="notice">${printable(missing, 1000)}</p>`}</section></div>`;
  const body = html`<p class="crumbs">${accountLink(links, address)} ::
<a class="mono" href="${links.module(id, { at })}">${shortName(name)}</a></p>
<h1><span class="mono">${shortName(name, 60)}</span>
<span class="dim">${side("from", before.version)} ${side("to", after.version)}</span></h1>
<p class="lead">${verdict(report)}.</p>
${controls(call, id, versions, offered, times)}
${report.incomparable.map(({ reason }) => html`<p class="notice">${printable(capital(withParted(reason)), 1000)}.</p>`)}
${isCompared && beside}
${carriedView(report, findings)}`;
  return { title: `${shortName(name)} ${grouped(before.version)} → ${grouped(after.version)}`, section: "changes", body, isWide: true };
};

/** What the comparison came to, in a sentence. */
function verdict(report: DiffReport): string {
  const [module] = report.modules;
  if (module !== undefined) return `${capital(sentences.depthNames[module.depth])}: ${sentences.findingsSentence(report)}`;
  return report.incomparable.length === 0 ? "The same bytes stood at both versions" : "Not compared";
}

/** Functions of the module that do something else since other modules changed. */
function carriedView(report: DiffReport, page: Bounded): Html {
  const lines = sentences.carriedSentences(report.carried).map(rawText);
  if (lines.length === 0) return html``;
  const item = (line: string): Html =>
    line.length <= CARRIED_SHOWN
      ? prose(printable(line))
      : html`<details><summary>${prose(printable(line, CARRIED_SHOWN))}</summary>${prose(printable(line, CARRIED_MAX))}</details>`;
  const items = lines.map((line) => page.show(() => html`<li class="small">${item(line)}</li>`));
  return html`<section><h2>Because of other modules</h2><ul>${items}</ul></section>`;
}

async function reportOf({ archive, query }: PageCall, id: ModuleId, comparison: Comparison, versions: Versions): Promise<DiffReport> {
  const audience = readChoice(query, "audience", audiences);
  const { weigh, differs } = weighingAt(archive.modules, versions);
  return makeReport(comparison, weigh, {
    audiences: audience && [audience],
    carried: await carriedInto(archive.modules, id, versions, differs),
    usage: { version: versions.to, ...(await archive.modules.coverage(versions.to)) },
  });
}

/** Which versions, for whom, with what: a form, so that each choice has an address. */
function controls({ query, links }: PageCall, id: ModuleId, { from, to }: Versions, offered: readonly bigint[], times: Times): Html {
  const box = (name: string, words: string): Html => checkbox(name, words, query(name) !== undefined);
  const typed = (name: string, words: string, value: bigint): Html =>
    html`<label>${words}<input name="${name}" value="${value}" placeholder="version, 2026-03-01, previous"
maxlength="40" spellcheck="false" required></label>`;
  return html`<form class="filters" action="${links.diff(id)}"><label>From${versionChoice("from", offered, times, from)}</label>
<label>To${versionChoice("to", offered, times, to)}</label>${audienceChoice(query("audience"))}
${box("code", "instructions")}${box("full", "whole sources")}
<button class="primary">Compare</button></form>
<details class="small"><summary>Any two versions or days</summary><form class="filters" action="${links.diff(id)}">
${typed("from", "From", from)}${typed("to", "To", to)}<button>Compare these</button></form></details>`;
}

/** What only has another name, then the findings by severity, the worst first: lines that unfold, each with an address of its own. */
function findingsList({ module, findings, renamed }: ReportedModule, { links }: PageCall, versions: Versions, page: Bounded): Html {
  const taken = new Map<string, number>();
  const named = findings.map((finding) => ({ finding, anchor: anchorOf(finding, taken) }));
  const group = (severity: Severity): Html => {
    const of = named.filter(({ finding }) => finding.worst === severity);
    const itemOf = ({ finding, anchor }: (typeof named)[number]): Html =>
      page.show(() => findingItem(finding, anchor, links.diff(module, versions, anchor)));
    const { crowds, others } = crowdsIn(of, ({ finding }) => causeOf(finding));
    const items = [
      ...crowds.map((alike) =>
        crowdItem(
          alike.map(({ finding }) => finding),
          alike.map(itemOf),
        ),
      ),
      ...others.map(itemOf),
    ];
    if (items.every((item) => item.text === "")) return html``;
    const [head, list] = [html`${severityLabel(severity)} <span class="dim">${of.length}</span>`, html`<ol class="findings">${items}</ol>`];
    return severity === "silent" ? html`<details><summary>${head}</summary>${list}</details>` : html`<h3>${head}</h3>${list}`;
  };
  const renames = renamed.map((one) => html`<p class="small">${printable(capital(rawText(sentences.renameSentence(one))), 700)}.</p>`);
  return html`${renames}${severities.map(group)}`;
}

/** A name that stays the same as long as the finding does: rule and item, and a number where both come again. */
function anchorOf({ rule, item }: ReportedFinding, taken: Map<string, number>): string {
  const stem = `${rule}.${(item.name ?? item.kind).slice(0, 160).replaceAll(/[^\w$:.-]/g, "-")}`;
  const n = (taken.get(stem) ?? 0) + 1;
  taken.set(stem, n);
  return n === 1 ? stem : `${stem}.${n}`;
}

/** What one cause does to many items of the module: a line that unfolds to a line for each. */
function crowdItem(alike: readonly ReportedFinding[], items: readonly Html[]): Html {
  const [first] = alike;
  if (first === undefined || items.every((item) => item.text === "")) return html``;
  const what = prose(printable(rawText(sentences.crowdSentence(itemCount(alike), first)), 2 * LINE_MAX));
  return html`<li class="${first.worst}"><details><summary><code>${first.rule}</code> ${what}</summary>
<ol class="findings">${items}</ol></details></li>`;
}

function findingItem(finding: ReportedFinding, anchor: string, href: string): Html {
  const { rule, worst, before, after } = finding;
  const was = before !== null && html`<code class="was">− ${witness(before)}</code>`;
  const is = after !== null && html`<code class="is">+ ${witness(after)}</code>`;
  const what = prose(printable(rawText(sentences.whatChanged(finding)), LINE_MAX));
  const users = sentences.userSentences(finding).map((one) => html`<p class="small">${printable(rawText(one), WITNESS_MAX)}</p>`);
  return html`<li class="${worst}"><details><summary><code>${rule}</code> ${what}</summary>
<div id="${anchor}"><a class="link" href="${href}" aria-label="Link to this finding">#</a>
<p><b>${printable(sentences.itemText(finding), 300)}</b></p>${was}${is}
<p class="small dim">${worst !== "silent" && prose(rules[rule].meaning)} ${capital(sentences.audienceText(finding))}.</p>
${users}</div></details></li>`;
}

/** An item in a line of Move, or an error with its description, which may have several. */
function witness(words: string): Html {
  return Html.preserved(words.length > WITNESS_MAX ? `${words.slice(0, WITNESS_MAX)}…` : words);
}
