import { memoize } from "../../../core/base/async.ts";
import { compare } from "../../../core/base/lists.ts";
import { grouped, plural } from "../../../core/base/plural.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../../core/move/address.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import { chooseSnapshot, coveringNeighbours, unknownReason } from "../../../core/questions/snapshot-choice.ts";
import { NotHeldError } from "../../../core/questions/subject.ts";
import { changeQueries, type ModuleChange } from "../../changes/judge/changes.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import {
  foldedItems,
  foldedTable,
  heading,
  hidden,
  nothing,
  tabButton,
  table,
  versionChoice,
  versionSteps,
} from "../../pages/html/elements.ts";
import { accountLink, atVersion, capital, lookedFor, madeAt, moduleLink, num, shortAddress, shortName } from "../../pages/html/texts.ts";
import { type PageCall, type PageHandler, parseSnapshot, readAddress, readChoice } from "../../pages/page.ts";
import { changeWord } from "../changes/changes-page.ts";
import { coverageQueries } from "../coverage/coverage-queries.ts";
import { gapBanner } from "../coverage/gaps-page.ts";
import { timesOf } from "../version-times.ts";
import { accountQueries } from "./account-queries.ts";

/** Rows of a table that show before the others unfold: with the links around them at most 120 stops of the Tab key. */
const [MODULES_SHOWN, ROWS_SHOWN] = [80, 30];
/** Modules on a page; the rest are on the next ones. A thousand take some 800 kB. */
const MODULES = 1000;
/** Changes that are looked through for the nights in which modules changed, and snapshots that a menu offers; a day reaches older ones. */
const [CHANGES, OFFERED] = [5000, 100];
/** Modules whose dependencies are listed, uses of the account's modules by others, and names in a cell. */
const [LISTED, USES, NAMED] = [60, 300, 20];

/** An account at a version; `at` is the version in the address of the page, which its links keep. */
type AccountView = Readonly<{ call: PageCall; links: Links; address: Address; version: bigint; at: bigint | undefined }>;

const tabs = { modules: modulesSection, record: recordSection, dependencies: dependenciesSection, history: historySection } as const;
const tabNames = Object.keys(tabs) as (keyof typeof tabs)[];

/** `/account/{address}`: its modules at a version; on tabs its record, what it uses and who uses it, and what changed when. */
export const accountPage: PageHandler = async (call) => {
  const { archive, links, parts, query } = call;
  const address = readAddress(parts[0] ?? "");
  const version = await versionOf(call, address);
  const at = query("at") === undefined ? undefined : version;
  const tab = readChoice(query, "tab", tabNames) ?? "modules";
  const view: AccountView = { call, links, address, version, at };
  const newest = at !== undefined && html` · <a href="${links.account(address, { tab: query("tab") })}">newest</a>`;
  const body = html`<p class="crumbs">Account</p><h1 class="mono">${address}</h1>
<p>${atVersion(version, await timesOf(archive.engine, [version]))}${newest}</p>
${at === undefined && (await gapBanner(archive.modules, links, address, version))}
${await versionLine(view)}
<div class="tabs">${tabNames.map((one) => tabButton(links.account(address, { at, tab: one }), capital(one), one === tab))}</div>
${await tabs[tab](view)}`;
  return { title: `${shortAddress(address)}${tab === "modules" ? "" : `, ${tab}`}`, body };
};

async function versionOf({ archive: { modules }, query }: PageCall, address: Address): Promise<bigint> {
  const at = query("at");
  const version = at === undefined ? await modules.newestCovering(address) : await chooseSnapshot(modules, parseSnapshot(at), address);
  const unknown = version === undefined ? "no sealed snapshot has an answer about it" : await unknownReason(modules, address, version);
  if (version !== undefined && unknown === undefined) return version;
  const near = version === undefined ? [] : await coveringNeighbours(modules, address, version);
  throw new NotHeldError(`${address} is not held${version === undefined ? "" : ` at ledger version ${version}`}: ${unknown}.`, {
    versions: near.filter((one) => one !== undefined).map(String),
  });
}

/** The snapshots that cover the account, one of which is shown: the one before, the one after, any of the newest, and that of a day. */
async function versionLine({ call: { archive, query }, links, address, version }: AccountView): Promise<Html> {
  const tab = query("tab");
  const covered = await accountQueries(archive.engine).snapshotsOf(address);
  const place = covered.indexOf(version);
  const offered = [...new Set([...covered.slice(-OFFERED), version])].toReversed();
  const href = (at: bigint | undefined) => (at === undefined ? at : links.account(address, { at, tab }));
  const form = (field: Html): Html =>
    html`<form action="${links.account(address)}">${hidden("tab", tab)}${field} <button>Show</button></form>`;
  const choice = versionChoice("at", offered, await timesOf(archive.engine, offered), version);
  const forms = [form(html`<label>At ${choice}</label>`), form(html`<label>On the day <input type="date" name="at"></label>`)];
  const words = `snapshot ${grouped(place + 1)} of ${grouped(covered.length)}`;
  return versionSteps({ label: "Snapshots", place: words, older: href(covered[place - 1]), newer: href(covered[place + 1]) }, forms);
}

async function modulesSection(view: AccountView): Promise<Html> {
  const { call, links, address, version, at } = view;
  const { modules: archive, engine } = call.archive;
  const q = call.query("q");
  const all = await archive.modulesAt(version, address);
  if (all.length === 0) return html`${nothing("No module stood here.")}${await recordSection(view)}`;
  const matching = all.filter(({ name }) => name.toLowerCase().includes(q?.toLowerCase() ?? ""));
  const first = matching.findIndex(({ name }) => name === call.query("after")) + 1;
  const modules = matching.slice(first, first + MODULES);
  const counts = await accountQueries(engine).moduleCounts(address, version);
  const sinces = modules.map(({ from }) => from);
  const times = await timesOf(engine, sinces);
  const cell = (value: number | undefined): Html => (value === undefined ? html`<span class="num">?</span>` : num(value || null));
  const rows = modules.map((module) => [
    moduleLink(links, module, { at, isBare: true }),
    ...(["entries", "views", "functions", "structs"] as const).map((key) => cell(counts.get(module.name)?.[key])),
    cell(module.size),
    num(module.from),
    madeAt(times.get(module.from)),
  ]);
  const heads = ["Module", "Entry", "View", "Callable functions", "Structs", "Bytes", "Unchanged since", "Ledger time, UTC"];
  const none = "No module has such a name.";
  const listed = foldedTable("Modules", heads, rows, { shown: MODULES_SHOWN, rest: "more modules", isSortable: true, none });
  const filter = html`<form class="filters" action="${links.account(address)}">${hidden("at", at)}
<label>Name has<input name="q" value="${q ?? ""}" maxlength="255" spellcheck="false"></label><button>Filter</button></form>`;
  const rest = matching.length - first - modules.length;
  const next = links.account(address, { at, q, after: modules.at(-1)?.name });
  return html`<section>${heading("Modules", matching.length)}
${(all.length > LISTED || q !== undefined) && filter}${listed}
${rest > 0 && html`<p><a href="${next}">Next: ${grouped(rest)} more of ${plural(matching.length, "module")}</a></p>`}</section>`;
}

/** The nights in which its modules changed, newest first; each leads to its changes, the worst first. */
async function historySection({ call: { archive }, links, address }: AccountView): Promise<Html> {
  const sealed = await readSealedVersions(archive.engine);
  const changes = await changeQueries(archive.engine).changesOf({ address }, CHANGES);
  const nightOf = ({ atOrBeforeVersion }: ModuleChange) => sealed.find((one) => one >= atOrBeforeVersion) ?? atOrBeforeVersion;
  const nights = Map.groupBy(changes, nightOf);
  const times = await timesOf(archive.engine, [...nights.keys()]);
  const rows = [...nights].map(([night, of]) => {
    const words = [...Map.groupBy(of, changeWord)].map(([word, some]) => `${grouped(some.length)} ${word}`).join(", ");
    const link = html`<a class="num" href="${links.changes({ night, account: address })}">${grouped(night)}</a>`;
    return [link, madeAt(times.get(night)), words, namesCell(of.map(({ module }) => module))];
  });
  const heads = ["Snapshot", "Ledger time, UTC", "What changed", "Modules"];
  const none = "No change of its modules was observed.";
  const published = foldedTable("Publishing history", heads, rows, { shown: MODULES_SHOWN, rest: "earlier snapshots", none });
  return html`<section><h2>Publishing history</h2>${published}</section>`;
}

async function recordSection({ call: { archive }, address, version }: AccountView): Promise<Html> {
  const record = await accountQueries(archive.engine).recordAt(address, version);
  const rotations = await accountQueries(archive.engine).rotationsOf(address);
  const marks = await coverageQueries(archive.engine).marksOf([address], { from: version, to: version });
  const key = (text: string | null) => html`<code>${text ?? "none"}</code>`;
  const rows = rotations.map((rotation) => {
    const from = rotation.isExact ? "exactly at" : html`${num(rotation.afterVersion)} and`;
    return [key(rotation.to), key(rotation.from), html`${from} ${num(rotation.atOrBeforeVersion)}${madeAt(rotation)}`];
  });
  const none = marks.some(({ kind }) => kind === "read")
    ? "The node had no account record here, as objects have none."
    : "This snapshot read the account's modules alone, not its record.";
  const shown =
    record &&
    html`<dl class="figures"><div><dt>sequence number</dt><dd>${grouped(BigInt(record.sequenceNumber))}</dd></div></dl>
<p class="small dim">Authentication key</p><p><code>${record.authenticationKey}</code></p>`;
  return html`<section><h2>Record</h2>${shown ?? nothing(none)}</section>
<section><h2>Key rotations</h2>
${table("Key rotations", ["New key", "Key before", "Between"], rows, { none: "No new authentication key was observed." })}</section>`;
}

/** What an account's modules refer to, a line for each of them, and who refers to them. */
async function dependenciesSection({ call, links, address: own, version, at }: AccountView): Promise<Html> {
  const { modules, engine } = call.archive;
  const uses = await accountQueries(engine).dependenciesOf(own, version);
  const byModule = [...Map.groupBy(uses, ({ from }) => from.name)].sort(([a], [b]) => compare(a, b));
  // No link leads to an account that no sealed snapshot has an answer about.
  const account = memoize(Number.POSITIVE_INFINITY, String, async (address: Address) =>
    (await modules.newestCovering(address)) === undefined
      ? html`<span class="mono">${shortAddress(address)}</span> (not held)`
      : accountLink(links, address),
  );
  const rows = await Array.fromAsync(byModule.slice(0, LISTED), async ([name, of]) => {
    const beside = of.filter(({ to }) => to.address === own).map(({ to }) => to.name);
    const others = new Set(of.map(({ to }) => to.address).filter((address) => address !== own));
    const module = moduleLink(links, { address: own, name }, { at, isBare: true });
    return [module, namesCell(beside.sort(compare)), namesCell(await Array.fromAsync(others, account))];
  });
  const heads = ["Module", "Uses of this account", "Accounts it uses"];
  const table = foldedTable("Dependencies", heads, rows, { shown: ROWS_SHOWN, rest: "more modules" });
  const rest = byModule.length - rows.length;
  const { users, total } = await accountQueries(engine).dependentsOf(own, version, USES);
  const items = [...Map.groupBy(users, ({ from }) => formatModuleId(from)).values()].map((of) => {
    const names = of.map(({ to }) => to.name).join(", ");
    return html`<li>${of[0] && moduleLink(links, of[0].from, { at })} <span class="dim small">uses ${names}</span></li>`;
  });
  return html`<section><h2>Dependencies</h2>
${rows.length === 0 ? nothing("No module here refers to another.") : table}
${rest > 0 && html`<p class="dim">and ${plural(rest, "more module")}; the page of each says what it uses</p>`}
<h3>Used by modules of other accounts <span class="dim">${plural(total, "use")}</span></h3>${foldedItems(items, ROWS_SHOWN)}
${total > users.length && html`<p class="dim">and ${plural(total - users.length, "more use")}</p>`}
<p class="small dim">${lookedFor(await modules.coverage(version))}</p></section>`;
}

/** Names of modules, and accounts, of which the first show. */
function namesCell(names: readonly (string | Html)[]): Html {
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const shown = names.slice(0, NAMED).map((name) => (typeof name === "string" ? html`<span class="mono">${shortName(name)}</span>` : name));
  return html`<span class="mid-cell">${shown.map((name, i) => html`${i > 0 && ", "}${name}`)}${rest}</span>`;
}
