import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { Dependency } from "../../archive/read/page-reads.ts";
import type { Address } from "../../move/address.ts";
import { choice, hidden } from "../html/forms.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { accountLink, count, lookedFor, moduleLink, nothing, shortAddress, shortName } from "../html/texts.ts";
import type { PageCall } from "../page.ts";
import { dependencyGraph } from "./graph.ts";

/** Larger graphs are no picture any more: one of its modules with what is around it is. From how many modules on one can be chosen. */
const DRAWN_MODULES = 250;
const DRAWN_EDGES = 2500;
const FOCUSED = 8;
const LISTED = 60;

/** What an account's modules refer to and who refers to them: a drawing where it is small enough, and lists. */
export async function accountDependencies(
  { archive: { modules, store }, query }: Pick<PageCall, "archive" | "query">,
  links: Links,
  address: Address,
  version: bigint,
): Promise<Html> {
  const uses = await store.dependenciesOf(address, version);
  const { users, total } = await store.dependentsOf(address, version, LISTED);
  const names = new Set(uses.flatMap(({ from, to }) => (to.address === address ? [from.name, to.name] : [from.name])));
  const unread = await unreadAmong(modules, uses);
  const focus = names.has(query("focus") ?? "") ? query("focus") : undefined;
  const near = uses.filter(({ from, to }) => focus === undefined || from.name === focus || (to.address === address && to.name === focus));
  const isDrawn = near.length > 0 && (focus !== undefined || names.size <= DRAWN_MODULES) && near.length <= DRAWN_EDGES;
  const drawing = isDrawn
    ? dependencyGraph(near, address, links, unread)
    : uses.length === 0
      ? ""
      : nothing(`No drawing of ${count(names.size)} modules with ${count(uses.length)} dependencies: choose one to see what is around it.`);
  const options = [["", "all modules"] as const, ...[...names].sort().map((name) => [name, shortName(name)] as const)];
  const focusForm = html`<form class="filters" action="${links.account(address)}">${hidden("at", query("at"))}
<label>What is around${choice("focus", options, focus)}</label><button class="primary">Draw</button></form>`;
  return html`<section><h2>Dependencies</h2>${names.size < FOCUSED ? "" : focusForm}${drawing}
${uses.length === 0 ? nothing("No module here refers to another.") : accountsOf(uses, address, links, unread)}
<h3>Used by modules of other accounts <span class="dim">${count(total)}</span></h3>${userList(users, total, links)}
<p class="small dim">${lookedFor(await modules.coverage(version))}</p></section>`;
}

function accountsOf(uses: readonly Dependency[], own: Address, links: Links, unread: ReadonlySet<Address>): Html {
  const others = [...new Set(uses.map(({ to }) => to.address))].filter((address) => address !== own);
  const listed = others.slice(0, LISTED).map((address, i) => {
    const account = unread.has(address) ? html`<span class="mono">${shortAddress(address)}</span> (not held)` : accountLink(links, address);
    return html`${i === 0 ? "" : ", "}${account}`;
  });
  const rest = others.length > LISTED ? ` and ${others.length - LISTED} more` : "";
  return html`<p>Accounts that its modules refer to: ${others.length === 0 ? "none but itself" : [...listed, rest]}</p>`;
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
