import { printable } from "../../../core/base/printable.ts";
import { timesOf } from "../../../core/db/archive/times/ledger-times.ts";
import { ConfigError } from "../../../core/errors.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import { abortCodeParts, compilerAbort, type Meaning } from "../../effects/abort-codes.ts";
import { type AbortExplanation, explainCode } from "../../explain/abort-explanation.ts";
import { parseAbortCode } from "../../explain/abort-message.ts";
import { heading, nothing } from "../../pages/html/elements.ts";
import { capital, count, madeAt, num, shortName, type Times, text } from "../../pages/html/texts.ts";
import type { PageCall, PageHandler } from "../../pages/page.ts";
import { readSubject } from "../../pages/parameters.ts";
import { headOf } from "../module/shown-module.ts";

const UNREADABLE = "The bytes of the module cannot be read, so nobody is known who raises it.";

/** `/error/{address}/{name}/{code}`: what a module means by an abort code, who raises it, and what it meant before. */
export const errorPage: PageHandler = async (call) => {
  const { archive, links, parts, query } = call;
  const code = parseAbortCode(parts[2] ?? "");
  if (code === undefined)
    throw new ConfigError(`\`${printable(parts[2] ?? "", 60)}\` is no abort code. Give a number, such as 65542 or 0x10006.`);
  const explained = await explainCode(archive.modules, readSubject(call), code);
  const { module: id, version, found, meanings, errors } = explained;
  const times = await timesOf(archive.engine, [version, ...meanings.map(({ from }) => from)]);
  const name = found?.error?.name ?? compilerAbort(code)?.name ?? `code ${code}`;
  const { category, reason } = abortCodeParts(code);
  const parted = category && `${category.name}: ${category.meaning}; reason ${count(reason)} of the module`;
  const numbers = html`<span class="num">${code}</span> <span class="num">0x${code.toString(16)}</span>`;
  const body = html`${await headOf({ call, links, id, version, at: query("at"), times }, { item: name, kind: numbers })}
<p class="lead">${words(explained)}</p>${parted && html`<p class="dim">${parted}</p>`}
${errors === undefined ? nothing(UNREADABLE) : raisersView(call, explained)}
<h2>What it meant</h2><ol class="timeline">${meanings.toReversed().map((meaning) => meaningItem(meaning, times))}</ol>`;
  return { title: `${shortName(name)} (0x${code.toString(16)}) · ${id.address}::${shortName(id.name)}`, body };
};

function words({ code, found, errors, module }: AbortExplanation): string {
  const byCompiler = compilerAbort(code);
  if (byCompiler !== undefined) return `${capital(byCompiler.meaning)}. The compiler's own code, and no error of the module.`;
  if (found?.error === undefined)
    return `${module.name} has no words for it${errors?.length === 0 ? ": it was built without error texts" : ""}.`;
  return found.error.description === "" ? "The module has a name for it and no words." : text(found.error.description, 2000);
}

function raisersView({ links, query }: PageCall, { module, raisers: { raisedBy, reachedFrom } }: AbortExplanation): Html {
  const href = (name: string): string => links.item(module, name, { at: query("at") });
  const list = (title: string, names: readonly string[]): Html => {
    const items = names.map((name) => html`<li><a class="mono" href="${href(name)}">${shortName(name)}</a></li>`);
    return html`${heading(title, names.length)}${items.length === 0 ? nothing("None that can be followed.") : html`<ul>${items}</ul>`}`;
  };
  return html`${list("Raised by", raisedBy)}${list("Functions that can be called and reach it", reachedFrom)}
<p class="small dim">Within the module: functions of others that call these reach it, too.</p>`;
}

function meaningItem({ from, to, error }: Meaning, times: Times): Html {
  const what =
    error === undefined ? "not known" : error === null ? "no words for it" : `${text(error.name, 200)}: ${text(error.description, 500)}`;
  const since = html`from ${num(from)}${madeAt(times.get(from))}${to !== null && html` to ${num(to)}`}`;
  return html`<li${to === null && html` class="now"`}>${since} <span class="small">${what}</span></li>`;
}
