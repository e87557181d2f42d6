import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { plural } from "../../base/plural.ts";
import { compare } from "../../base/sorted.ts";
import type { Address } from "../../move/address.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { accountLink, count, lookedFor, moduleLink, nothing, shortAddress, table } from "../html/texts.ts";
import type { PageCall } from "../page.ts";
import { accountQueries, type Dependency } from "./account-queries.ts";

/** Modules and accounts that are listed, and names in a cell. */
const [LISTED, NAMED] = [60, 20];

/** What an account's modules refer to, as a table, and who refers to them. */
export async function accountDependencies(
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
  return html`<ul class="cols plain">${items}</ul>${rest > 0 ? html`<p class="dim">and ${count(rest)} more</p>` : ""}`;
}

/** Accounts that no sealed snapshot has an answer about: no link leads to them. */
async function unreadAmong(modules: ModuleArchive, uses: readonly Dependency[]): Promise<ReadonlySet<Address>> {
  const unread = new Set<Address>();
  for (const address of new Set(uses.map(({ to }) => to.address)))
    if ((await modules.newestCovering(address)) === undefined) unread.add(address);
  return unread;
}
