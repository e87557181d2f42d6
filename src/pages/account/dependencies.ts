import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { Dependency } from "../../archive/read/page-reads.ts";
import type { Address } from "../../move/address.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { accountLink, count, lookedFor, moduleLink, nothing, shortAddress } from "../html/texts.ts";
import type { PageArchive } from "../page-archive.ts";
import { dependencyGraph } from "./graph.ts";

/** Larger graphs are no picture any more: the lists say the same. */
const DRAWN_MODULES = 40;
const DRAWN_EDGES = 160;
const LISTED = 60;

/** What an account's modules refer to and who refers to them: a drawing where it is small enough, and lists. */
export async function accountDependencies({ modules, store }: PageArchive, links: Links, address: Address, version: bigint): Promise<Html> {
  const uses = await store.dependenciesOf(address, version);
  const users = await store.dependentsOf(address, version);
  const names = new Set(uses.map(({ from }) => from.name));
  const unread = await unreadAmong(modules, [...uses.map(({ to }) => to.address)]);
  const isDrawn = uses.length > 0 && names.size <= DRAWN_MODULES && uses.length <= DRAWN_EDGES;
  return html`<section><h2>Dependencies</h2>${isDrawn ? dependencyGraph(uses, address, links, unread) : ""}
${
  uses.length === 0
    ? nothing("Its modules refer to no other module.")
    : html`<p>Accounts that its modules refer to: ${accountsOf(
        uses.map(({ to }) => to.address),
        address,
        links,
        unread,
      )}</p>`
}
<h3>Used by modules of other accounts <span class="dim">${count(users.length)}</span></h3>${userList(users, links)}
<p class="small dim">${lookedFor(version, links, await modules.coverage(version))}</p></section>`;
}

function accountsOf(addresses: readonly Address[], own: Address, links: Links, unread: ReadonlySet<Address>): Html {
  const others = [...new Set(addresses)].filter((address) => address !== own);
  if (others.length === 0) return html`none but itself`;
  return html`${others.slice(0, LISTED).map((address, i) => html`${i === 0 ? "" : ", "}${unread.has(address) ? html`<span class="mono">${shortAddress(address)}</span> (not held)` : accountLink(links, address)}`)}${others.length > LISTED ? ` and ${others.length - LISTED} more` : ""}`;
}

function userList(users: readonly Dependency[], links: Links): Html {
  const rest = users.length - LISTED;
  return html`<ul class="cols plain">${users.slice(0, LISTED).map(({ from, to }) => html`<li>${moduleLink(links, from)} <span class="dim small">uses ${to.name}</span></li>`)}</ul>${rest > 0 ? html`<p class="dim">and ${count(rest)} more</p>` : ""}`;
}

/** Accounts that no sealed snapshot has an answer about: no link leads to them. */
async function unreadAmong(modules: ModuleArchive, addresses: readonly Address[]): Promise<ReadonlySet<Address>> {
  const unread = new Set<Address>();
  for (const address of new Set(addresses)) if ((await modules.newestCovering(address)) === undefined) unread.add(address);
  return unread;
}
