import { type Html, html } from "../../../core/base/html.ts";
import { plural } from "../../../core/base/plural.ts";
import { compare } from "../../../core/base/sorted.ts";
import { changeQueries, type KeyRotation } from "../../../core/db/archive/read/changes.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import { timesOf } from "../../../core/db/archive/times/ledger-times.ts";
import type { Address } from "../../../core/move/address.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import type { Links } from "../../../core/questions/page-links.ts";
import { chooseSnapshot, coveringNeighbours, unknownReason } from "../../../core/questions/snapshot-choice.ts";
import { NotHeldError } from "../../../core/questions/subject.ts";
import { changeWord } from "../changes/change-rows.ts";
import { coverageQueries } from "../coverage/coverage-queries.ts";
import { gapBanner } from "../coverage/gaps-page.ts";
import {
  accountLink,
  atVersion,
  capital,
  choice,
  count,
  folded,
  hidden,
  lookedFor,
  madeAt,
  moduleLink,
  nothing,
  shortAddress,
  shortName,
  stepButton,
  tabButton,
  table,
  versionText,
} from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { parseSnapshot, readAddress, readChoice } from "../parameters.ts";
import { accountQueries, type Dependency } from "./account-queries.ts";

const tabs = ["modules", "record", "dependencies", "history"] as const;
type Tab = (typeof tabs)[number];

/** Rows of a table that show before the others unfold: with the links around them at most 120 stops of the Tab key. */
const [MODULES_SHOWN, ROWS_SHOWN] = [80, 30];
/** Changes that are looked through for the nights in which modules changed. */
const CHANGES = 5000;
/** Modules on a page; the rest are on the next ones. A thousand take some 800 kB. */
const MODULES = 1000;
/** Snapshots that a menu offers; a day reaches the older ones. */
const OFFERED = 100;

type AccountView = {
  readonly call: PageCall;
  readonly address: Address;
  readonly version: bigint;
  /** The version in the address of the page, which its links keep. */
  readonly at: bigint | undefined;
  readonly tab: Tab;
};

/** `/account/{address}`: its modules at a version; on tabs its record, what it uses and who uses it, and what changed when. */
export const accountPage: PageHandler = async (call) => {
  const { archive, links, parts, query } = call;
  const address = readAddress(parts[0] ?? "");
  const version = await versionOf(call, address);
  const at = query("at") === undefined ? undefined : version;
  const tab = readChoice(query, "tab", tabs) ?? "modules";
  const view: AccountView = { call, address, version, at, tab };
  const sections = { modules: modulesSection, record: recordSection, dependencies: dependenciesSection, history: historySection };
  const times = await timesOf(archive.modules.engine, [version]);
  const newest = at === undefined ? "" : html` · <a href="${links.account(address, { tab: query("tab") })}">newest</a>`;
  const body = html`<p class="crumbs">Account</p><h1 class="mono">${address}</h1>
<p>${atVersion(version, times.get(version))}${newest}</p>
${at === undefined ? await gapBanner(archive.modules, address, version) : ""}
${await versionChoice(view)}
<div class="tabs">${tabs.map((one) => tabButton(links.account(address, { at, tab: one }), capital(one), one === tab))}</div>
${await sections[tab](view)}`;
  return { title: `${shortAddress(address)}${tab === "modules" ? "" : `, ${tab}`}`, body };
};

/** The snapshots that cover the account, one of which is shown: the one before, the one after, any of the newest, and that of a day. */
async function versionChoice({ call: { archive, links, query }, address, version }: AccountView): Promise<Html> {
  const tab = query("tab");
  const sealed = await readSealedVersions(archive.engine);
  const range = { from: sealed[0] ?? version, to: sealed.at(-1) ?? version };
  const spans = await coverageQueries(archive.engine).coverageOf([address], range);
  const isCovered = (one: bigint): boolean =>
    spans.some(({ from, to, reason }) => reason === null && from <= one && (to === null || one <= to));
  const covered = sealed.filter(isCovered);
  const place = covered.indexOf(version);
  const offered = [...new Set([...covered.slice(-OFFERED), version])].toReversed();
  const times = await timesOf(archive.engine, offered);
  const options = offered.map((one) => [`${one}`, versionText(one, times)] as const);
  const step = (words: string, rel: string, to: bigint | undefined): Html =>
    stepButton(words, rel, to === undefined ? to : links.account(address, { at: to, tab }));
  const form = (field: Html): Html =>
    html`<form action="${links.account(address)}">${hidden("tab", tab)}${field} <button>Show</button></form>`;
  return html`<nav class="versions" aria-label="Snapshots">${step("← Older", "prev", covered[place - 1])}
<span class="dim small">snapshot ${count(place + 1)} of ${count(covered.length)}</span>${step("Newer →", "next", covered[place + 1])}
${form(html`<label>At ${choice("at", options, `${version}`)}</label>`)}
${form(html`<label>On the day <input type="date" name="at"></label>`)}</nav>`;
}

/** Links that lead to modules at a version: what stood then may be gone since. */
function linksAt(links: Links, at: bigint): Links {
  return { ...links, module: (id, query, anchor) => links.module(id, { ...query, at: query?.["at"] ?? at }, anchor) };
}

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

async function modulesSection(view: AccountView): Promise<Html> {
  const {
    call: { archive, links, query },
    address,
    version,
    at,
  } = view;
  const part = query("q")?.toLowerCase() ?? "";
  const all = await archive.modules.modulesAt(version, address);
  const matching = all.filter(({ name }) => name.toLowerCase().includes(part));
  const first = matching.findIndex(({ name }) => name === query("after")) + 1;
  const modules = matching.slice(first, first + MODULES);
  if (all.length === 0) return html`${nothing("No module stood here.")}${await recordSection(view)}`;
  const counts = await accountQueries(archive.engine).moduleCounts(address, version);
  const times = await timesOf(
    archive.modules.engine,
    modules.map(({ from }) => from),
  );
  const rest = matching.length - first - modules.length;
  const href = links.account(address, { at, q: query("q"), after: modules.at(-1)?.name });
  const more = rest === 0 ? "" : html`<p><a href="${href}">Next: ${count(rest)} more of ${plural(matching.length, "module")}</a></p>`;
  const filter = html`<form class="filters" action="${links.account(address)}">${hidden("at", at)}
<label>Name has<input name="q" value="${query("q") ?? ""}" maxlength="255" spellcheck="false"></label><button>Filter</button></form>`;
  const cell = (value: number | undefined) => html`<span class="num">${value === undefined ? "?" : value === 0 ? "" : count(value)}</span>`;
  const rows = modules.map((module) => [
    moduleLink(links, module, { ...(at === undefined ? {} : { at }), isBare: true }),
    ...(["entries", "views", "functions", "structs"] as const).map((key) => cell(counts.get(module.name)?.[key])),
    cell(module.size),
    html`<span class="num">${count(module.from)}</span>`,
    madeAt(times.get(module.from)),
  ]);
  const heads = ["Module", "Entry", "View", "Open functions", "Structs", "Bytes", "Unchanged since", "Made, UTC"];
  const listed = folded(
    rows,
    MODULES_SHOWN,
    (some, isRest) => table(isRest ? "More modules" : "Modules", heads, some, "sortable"),
    "more modules",
  );
  return html`<section><h2>Modules <span class="dim">${count(matching.length)}</span></h2>
${all.length > LISTED || part !== "" ? filter : ""}
${rows.length === 0 ? nothing("No module has such a name.") : listed}${more}</section>`;
}

/** The nights in which its modules changed, newest first; each leads to its changes, the worst first. */
async function historySection({ call: { archive, links }, address }: AccountView): Promise<Html> {
  const sealed = await readSealedVersions(archive.engine);
  const changes = await changeQueries(archive.engine).changesOf({ address }, CHANGES);
  const nights = Map.groupBy(changes, ({ atOrBeforeVersion }) => sealed.find((one) => one >= atOrBeforeVersion));
  const times = await timesOf(
    archive.engine,
    [...nights.keys()].filter((night) => night !== undefined),
  );
  const rows = [...nights].flatMap(([night, of]) => {
    if (night === undefined) return [];
    const words = [...Map.groupBy(of, changeWord)].map(([word, some]) => `${count(some.length)} ${word}`).join(", ");
    const href = links.changes({ night, account: address });
    const names = of.map(({ module }) => html`<span class="mono">${shortName(module)}</span>`);
    return [[html`<a class="num" href="${href}">${count(night)}</a>`, madeAt(times.get(night)), words, namesCell(names)]];
  });
  const heads = ["Snapshot", "Made, UTC", "What changed", "Modules"];
  const published = folded(
    rows,
    MODULES_SHOWN,
    (some, isRest) => table(isRest ? "Earlier history" : "Publishing history", heads, some),
    "earlier snapshots",
  );
  return html`<section><h2>Publishing history</h2>
${rows.length === 0 ? nothing("No change of its modules was observed.") : published}</section>`;
}

function rotationCells(rotation: KeyRotation): Html[] {
  const key = (text: string | null) => html`<code>${text ?? "none"}</code>`;
  const from = rotation.isExact ? "exactly at" : html`<span class="num">${count(rotation.afterVersion)}</span> and`;
  const between = html`${from} <span class="num">${count(rotation.atOrBeforeVersion)}</span>${madeAt(rotation)}`;
  return [key(rotation.to), key(rotation.from), between];
}

async function recordSection({ call: { archive }, address, version }: AccountView): Promise<Html> {
  const record = await accountQueries(archive.engine).recordAt(address, version);
  const rotations = await accountQueries(archive.engine).rotationsOf(address);
  const keys =
    rotations.length === 0
      ? nothing("No new authentication key was observed.")
      : table("Key rotations", ["New key", "Key before", "Between"], rotations.map(rotationCells));
  const isUnread = (await coverageQueries(archive.engine).recordCoverageOf([address], { from: version, to: version })).length === 0;
  const none = isUnread
    ? "This snapshot read the account's modules alone, not its record."
    : "The node had no account record here, as objects have none.";
  const shown =
    record === undefined
      ? nothing(none)
      : html`<dl class="figures"><div><dt>sequence number</dt><dd>${count(BigInt(record.sequenceNumber))}</dd></div></dl>
<p class="small dim">Authentication key</p><p><code>${record.authenticationKey}</code></p>`;
  return html`<section><h2>Record</h2>${shown}</section><section><h2>Key rotations</h2>${keys}</section>`;
}

/** Modules that are listed, uses of the account's modules by others, and names in a cell. */
const [LISTED, USES, NAMED] = [60, 300, 20];

/** What an account's modules refer to, as a table, and who refers to them. */
async function dependenciesSection({ call, address, version, at }: AccountView): Promise<Html> {
  const { modules, engine } = call.archive;
  const links = at === undefined ? call.links : linksAt(call.links, at);
  const uses = await accountQueries(engine).dependenciesOf(address, version);
  const { users, total } = await accountQueries(engine).dependentsOf(address, version, USES);
  const listed = uses.length === 0 ? nothing("No module here refers to another.") : await dependencyTable(modules, uses, address, links);
  return html`<section><h2>Dependencies</h2>${listed}
<h3>Used by modules of other accounts <span class="dim">${plural(total, "use")}</span></h3>${userList(users, total, links)}
<p class="small dim">${lookedFor(await modules.coverage(version))}</p></section>`;
}

/** A line for each module that refers to others: which of its own account, and which accounts besides. */
async function dependencyTable(modules: ModuleArchive, uses: readonly Dependency[], own: Address, links: Links): Promise<Html> {
  const unread = await unreadAmong(modules, uses);
  const account = (address: Address): Html =>
    unread.has(address) ? html`<span class="mono">${shortAddress(address)}</span> (not held)` : accountLink(links, address);
  const byModule = [...Map.groupBy(uses, ({ from }) => from.name)].sort(([a], [b]) => compare(a, b));
  const rows = byModule.slice(0, LISTED).map(([name, of]) => {
    const beside = of.filter(({ to }) => to.address === own).map(({ to }) => to.name);
    const others = of.map(({ to }) => to.address).filter((address) => address !== own);
    return [
      moduleLink(links, { address: own, name }, { isBare: true }),
      namesCell(beside.sort(compare).map((other) => html`<span class="mono">${shortName(other)}</span>`)),
      namesCell([...new Set(others)].map(account)),
    ];
  });
  const rest = byModule.length - rows.length;
  const more = rest > 0 ? html`<p class="dim">and ${plural(rest, "more module")}; the page of each says what it uses</p>` : "";
  const heads = ["Module", "Uses of this account", "Accounts it uses"];
  const listed = (some: readonly Html[][], isRest: boolean): Html => table(isRest ? "More dependencies" : "Dependencies", heads, some);
  return html`${folded(rows, ROWS_SHOWN, listed, "more modules")}${more}`;
}

function namesCell(names: readonly Html[]): Html {
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return html`<span class="mid-cell">${names.slice(0, NAMED).map((name, i) => html`${i === 0 ? "" : ", "}${name}`)}${rest}</span>`;
}

function userList(users: readonly Dependency[], total: number, links: Links): Html {
  const rest = total - users.length;
  const items = [...Map.groupBy(users, ({ from }) => formatModuleId(from)).values()].map((of) => {
    const uses = of.map(({ to }) => to.name).join(", ");
    return html`<li>${of[0] && moduleLink(links, of[0].from)} <span class="dim small">uses ${uses}</span></li>`;
  });
  const more = rest > 0 ? html`<p class="dim">and ${count(rest)} more uses</p>` : "";
  return html`${folded(items, ROWS_SHOWN, (some) => html`<ul>${some}</ul>`)}${more}`;
}

/** Accounts that no sealed snapshot has an answer about: no link leads to them. */
async function unreadAmong(modules: ModuleArchive, uses: readonly Dependency[]): Promise<ReadonlySet<Address>> {
  const unread = new Set<Address>();
  for (const address of new Set(uses.map(({ to }) => to.address)))
    if ((await modules.newestCovering(address)) === undefined) unread.add(address);
  return unread;
}
