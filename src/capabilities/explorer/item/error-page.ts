import { abortCodeParts, compilerAbort, type Meaning } from "../../../core/abi/abort/abort-codes.ts";
import { parseAbortCode } from "../../../core/abi/abort/status.ts";
import { type Html, html } from "../../../core/base/html.ts";
import { printable } from "../../../core/base/printable.ts";
import { timesOf } from "../../../core/db/archive/times/ledger-times.ts";
import { ConfigError } from "../../../core/errors.ts";
import { type AbortExplanation, explainCode } from "../../../core/questions/item/abort-explanation.ts";
import { accountLink, atVersion, capital, count, madeAt, nothing, shortName, type Times, text } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { readSubject } from "../parameters.ts";

/** `/error/{address}/{name}/{code}`: what a module means by an abort code, who raises it, and what it meant before. */
export const errorPage: PageHandler = async (call) => {
  const { archive, links, parts, query } = call;
  const code = parseAbortCode(parts[2] ?? "");
  if (code === undefined)
    throw new ConfigError(`\`${printable(parts[2] ?? "", 60)}\` is no abort code. Give a number, such as 65542 or 0x10006.`);
  const explained = await explainCode(archive.modules, readSubject(call), code);
  const { module, version, found, meanings, errors } = explained;
  const at = query("at");
  const times = await timesOf(archive.modules.engine, [version, ...meanings.map(({ from }) => from)]);
  const name = found?.error?.name ?? compilerAbort(code)?.name ?? `code ${code}`;
  const account = accountLink(links, module.address, at === undefined ? undefined : version);
  const { category, reason } = abortCodeParts(code);
  const parted = category && `${category.name}: ${category.meaning}; reason ${count(reason)} of the module`;
  const of = parted === undefined ? "" : html`<p class="dim">${parted}</p>`;
  const numbers = html`<span class="num">${code}</span> <span class="num">0x${code.toString(16)}</span>`;
  const unread = "The bytes of the module cannot be read, so nobody is known who raises it.";
  const named = html`<a class="mono" href="${links.module(module, { at })}">${shortName(module.name)}</a>`;
  const body = html`<p class="crumbs">${account} :: ${named} ::</p>
<h1><span class="mono">${shortName(name, 80)}</span> <span class="dim">${numbers}</span></h1>
<p>${atVersion(version, times.get(version))}</p>
<p class="lead">${words(explained)}</p>${of}
${errors === undefined ? nothing(unread) : raisersView(call, explained)}
<h2>What it meant</h2><ol class="timeline">${meanings.toReversed().map((meaning) => meaningItem(meaning, times))}</ol>`;
  return { title: `${shortName(name)} (0x${code.toString(16)}) · ${module.address}::${shortName(module.name)}`, body };
};

function words({ code, found, errors, module }: AbortExplanation): string {
  const byCompiler = compilerAbort(code);
  if (byCompiler !== undefined) return `${capital(byCompiler.meaning)}. The compiler's own code, and no error of the module.`;
  if (found?.error === undefined)
    return `${module.name} has no words for it${errors?.length === 0 ? ": it was built without error texts" : ""}.`;
  return found.error.description === "" ? "The module has a name for it and no words." : text(found.error.description, 2000);
}

function raisersView({ links, query }: PageCall, { module, raisers: { raisedBy, reachedFrom } }: AbortExplanation): Html {
  const at = query("at");
  const item = (name: string): Html => html`<li><a class="mono" href="${links.item(module, name, { at })}">${shortName(name)}</a></li>`;
  const list = (title: string, names: readonly string[]): Html => {
    const items = names.length === 0 ? nothing("None that can be followed.") : html`<ul>${names.map(item)}</ul>`;
    return html`<h2>${title} <span class="dim">${count(names.length)}</span></h2>${items}`;
  };
  return html`${list("Raised by", raisedBy)}${list("Functions that can be called and reach it", reachedFrom)}
<p class="small dim">Within the module: functions of others that call these reach it, too.</p>`;
}

function meaningItem({ from, to, error }: Meaning, times: Times): Html {
  const until = to === null ? "" : html` to <span class="num">${count(to)}</span>`;
  const what =
    error === undefined ? "not known" : error === null ? "no words for it" : `${text(error.name, 200)}: ${text(error.description, 500)}`;
  const since = html`from <span class="num">${count(from)}</span>${madeAt(times.get(from))}${until}`;
  return html`<li${to === null ? html` class="now"` : ""}>${since} <span class="small">${what}</span></li>`;
}
