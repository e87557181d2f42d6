import { changeQueries, type KeyRotation, type ModuleChange } from "../../archive/read/changes.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { StoredModule } from "../../archive/read/module-queries.ts";
import { timesOf } from "../../archive/times/ledger-times.ts";
import { plural } from "../../base/plural.ts";
import { compare } from "../../base/sorted.ts";
import type { Address } from "../../move/address.ts";
import { chooseSnapshot, unknownReason } from "../../questions/snapshot-choice.ts";
import { NotHeldError } from "../../questions/subject.ts";
import { changeLink, changeWord } from "../changes/change-rows.ts";
import { type ChangeSnapshots, withSnapshots } from "../changes/entries.ts";
import { coverageQueries } from "../coverage/coverage-queries.ts";
import { gapBanner } from "../coverage/gaps-page.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { accountLink, atVersion, count, lookedFor, madeAt, moduleLink, nothing, shortAddress, type Times, table } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import type { PageArchive } from "../page-archive.ts";
import { parseSnapshot, readAddress } from "../parameters.ts";
import { accountQueries, type Dependency, type ModuleCounts } from "./account-queries.ts";

const CHANGES = 60;

/** Modules in the list, unless all are asked for: a thousand take some 800 kB. */
const MODULES = 1000;

/** `/account/{address}`: its modules at a version, its record, what it uses and who uses it, and what changed when. */
export const accountPage: PageHandler = async (call) => {
  const { archive, links, parts } = call;
  const address = readAddress(parts[0] ?? "");
  const version = await versionOf(call, address);
  const at = call.query("at") === undefined ? undefined : version;
  const modules = await archive.modules.modulesAt(version, address);
  const shown = call.query("all") === undefined ? modules.slice(0, MODULES) : modules;
  const all = links.account(address, { ...(at === undefined ? {} : { at }), all: 1 });
  const more = shown.length === modules.length ? "" : html`<p><a href="${all}">All ${plural(modules.length, "module")}</a></p>`;
  const counts = await accountQueries(archive.engine).moduleCounts(address, version);
  const times = await timesOf(archive.modules.engine, [version, ...modules.map(({ from }) => from)]);
  const newest = at === undefined ? "" : html` · <a href="${links.account(address)}">newest</a>`;
  const listed = modules.length === 0 ? nothing("No module stood here.") : modulesTable(shown, { counts, times }, links, at);
  const body = html`<p class="crumbs">Account</p><h1 class="mono">${address}</h1>
<p>${atVersion(version, times.get(version))}: ${plural(modules.length, "module")}${newest}</p>
${at === undefined ? await gapBanner(archive.modules, address, version) : ""}
<section><h2>Modules</h2>${listed}${more}</section>
<section><h2>Record</h2>${await recordSection(archive, address, version)}</section>
${await accountDependencies(call, at === undefined ? links : linksAt(links, at), address, version)}
${await history(archive, address, links)}`;
  return { title: shortAddress(address), body };
};

/** Links that lead to modules at a version: what stood then may be gone since. */
function linksAt(links: Links, at: bigint): Links {
  return { ...links, module: (id, query, anchor) => links.module(id, { ...query, at: query?.["at"] ?? at }, anchor) };
}

async function versionOf({ archive: { modules }, query }: PageCall, address: Address): Promise<bigint> {
  const at = query("at");
  const version = at === undefined ? await modules.newestCovering(address) : await chooseSnapshot(modules, parseSnapshot(at), address);
  const unknown = version === undefined ? "no sealed snapshot has an answer about it" : await unknownReason(modules, address, version);
  if (version !== undefined && unknown === undefined) return version;
  throw new NotHeldError(`${address} is not held${version === undefined ? "" : ` at ledger version ${version}`}: ${unknown}.`);
}

function modulesTable(
  modules: readonly StoredModule[],
  { counts, times }: { readonly counts: ReadonlyMap<string, ModuleCounts>; readonly times: Times },
  links: Links,
  at: bigint | undefined,
): Html {
  const cell = (value: number | undefined) => html`<span class="num">${value === undefined ? "?" : value === 0 ? "" : count(value)}</span>`;
  const rows = modules.map((module) => [
    moduleLink(links, module, { ...(at === undefined ? {} : { at }), isBare: true }),
    ...(["entries", "views", "functions", "structs"] as const).map((key) => cell(counts.get(module.name)?.[key])),
    html`<span class="num">${count(module.size)}</span>`,
    html`<a class="num" href="${links.module(module, { at: module.from })}">${count(module.from)}</a>`,
    madeAt(times.get(module.from)),
  ]);
  const heads = ["Module", "Entry", "View", "Open functions", "Structs", "Bytes", "Unchanged since", "Made, UTC"];
  return table("Modules", heads, rows, "sortable");
}

async function history({ engine, modules }: PageArchive, address: Address, links: Links): Promise<Html> {
  const changes = await changeQueries(engine).changesOf({ address }, CHANGES + 1);
  const listed = changes.slice(0, CHANGES).map((change) => ({ change }));
  const rows = (await withSnapshots(modules, listed)).map((each) => changeCells(each, links));
  const rotations = await accountQueries(engine).rotationsOf(address);
  const published =
    changes.length === 0
      ? nothing("No change of its modules was observed.")
      : table("Publishing history", ["Module", "What", "Between"], rows);
  const more = changes.length > CHANGES ? html`<p><a href="${links.changes({ account: address })}">all of its changes</a></p>` : "";
  const keys =
    rotations.length === 0
      ? nothing("No new authentication key was observed.")
      : table("Key rotations", ["New key", "Key before", "Between"], rotations.map(rotationCells));
  const feed = html`<a class="more" href="${links.changes({ account: address })}">in the feed</a>`;
  return html`<section><h2>Publishing history ${feed}</h2>${published}${more}</section>
<section><h2>Key rotations</h2>${keys}</section>`;
}

function changeCells(shown: { readonly change: ModuleChange } & ChangeSnapshots, links: Links): Html[] {
  const { change, before, after } = shown;
  const at = change.to === null ? before : after;
  return [
    moduleLink(links, { address: change.address, name: change.module }, { ...(at === undefined ? {} : { at }), isBare: true }),
    html`<a href="${changeLink(shown, links)}">${changeWord(change)}</a>`,
    between(change),
  ];
}

function rotationCells(rotation: KeyRotation): Html[] {
  const key = (text: string | null) => html`<code>${text ?? "none"}</code>`;
  return [key(rotation.to), key(rotation.from), between(rotation)];
}

function between(change: ModuleChange | KeyRotation): Html {
  const from = change.isExact ? "exactly at" : html`<span class="num">${count(change.afterVersion)}</span> and`;
  return html`${from} <span class="num">${count(change.atOrBeforeVersion)}</span>${madeAt(change)}`;
}

/** An account's record at a version. */
async function recordSection({ engine }: PageArchive, address: Address, version: bigint): Promise<Html> {
  const record = await accountQueries(engine).recordAt(address, version);
  if (record === undefined) {
    const isUnread = (await coverageQueries(engine).recordCoverageOf([address], { from: version, to: version })).length === 0;
    return nothing(
      isUnread
        ? "This snapshot read the account's modules alone, not its record."
        : "The node had no account record here, as objects have none.",
    );
  }
  const number = count(BigInt(record.sequenceNumber));
  return html`<dl class="figures"><div><dt>sequence number</dt><dd>${number}</dd></div></dl>
<p class="small dim">Authentication key</p><p><code>${record.authenticationKey}</code></p>`;
}

/** Modules and accounts that are listed, and names in a cell. */
const [LISTED, NAMED] = [60, 20];

/** What an account's modules refer to, as a table, and who refers to them. */
async function accountDependencies(
  { archive: { modules, engine } }: Pick<PageCall, "archive">,
  links: Links,
  address: Address,
  version: bigint,
): Promise<Html> {
  const uses = await accountQueries(engine).dependenciesOf(address, version);
  const { users, total } = await accountQueries(engine).dependentsOf(address, version, LISTED);
  const listed = uses.length === 0 ? nothing("No module here refers to another.") : await dependencyTable(modules, uses, address, links);
  return html`<section><h2>Dependencies</h2>${listed}
<h3>Used by modules of other accounts <span class="dim">${count(total)}</span></h3>${userList(users, total, links)}
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
      namesCell(beside.sort(compare).map((other) => moduleLink(links, { address: own, name: other }, { isBare: true }))),
      namesCell([...new Set(others)].map(account)),
    ];
  });
  const rest = byModule.length - rows.length;
  const more = rest > 0 ? html`<p class="dim">and ${plural(rest, "more module")}; the page of each says what it uses</p>` : "";
  return html`${table("Dependencies", ["Module", "Uses of this account", "Accounts it uses"], rows)}${more}`;
}

function namesCell(names: readonly Html[]): Html {
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return html`<span class="mid-cell">${names.slice(0, NAMED).map((name, i) => html`${i === 0 ? "" : ", "}${name}`)}${rest}</span>`;
}

function userList(users: readonly Dependency[], total: number, links: Links): Html {
  const rest = total - users.length;
  const items = users.map(({ from, to }) => html`<li>${moduleLink(links, from)} <span class="dim small">uses ${to.name}</span></li>`);
  return html`<ul>${items}</ul>${rest > 0 ? html`<p class="dim">and ${count(rest)} more</p>` : ""}`;
}

/** Accounts that no sealed snapshot has an answer about: no link leads to them. */
async function unreadAmong(modules: ModuleArchive, uses: readonly Dependency[]): Promise<ReadonlySet<Address>> {
  const unread = new Set<Address>();
  for (const address of new Set(uses.map(({ to }) => to.address)))
    if ((await modules.newestCovering(address)) === undefined) unread.add(address);
  return unread;
}
