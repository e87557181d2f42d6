import type { StoredContent } from "../../archive/content/stored-content.ts";
import { plural } from "../../base/plural.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { printedModule } from "../../questions/module-source.ts";
import { type Html, html } from "../html/html.ts";
import { count, moduleLink, shortAddress, shortName } from "../html/texts.ts";
import type { PageCall } from "../page.ts";
import type { IsHeld } from "./held-modules.ts";

/** Modules of a list that are shown before the rest is folded. */
const LISTED = 12;

/** Who uses a module, as far as that is known, what it uses, and its friends. */
export async function relations(
  { archive, links, query }: PageCall,
  id: ModuleId,
  version: bigint,
  { content, isHeld }: { readonly content: StoredContent; readonly isHeld: IsHeld },
): Promise<Html> {
  const { accounts, gaps } = await archive.modules.coverage(version);
  const users = await archive.modules.dependents(id, version);
  const abi = content.kind === "unreadable" ? undefined : printedModule(content).abi;
  const at = query("at") === undefined ? {} : { at: version };
  const entry = (module: ModuleId, isThere: boolean): Html => {
    const isBare = module.address === id.address;
    if (isThere) return html`<li>${moduleLink(links, module, { ...at, isBare })}</li>`;
    return html`<li><span class="mono">${isBare ? "" : `${shortAddress(module.address)}::`}${shortName(module.name)}</span> <span class="dim small">not held</span></li>`;
  };
  const list = (modules: readonly ModuleId[], isThere: (module: ModuleId) => boolean): Html => {
    const entries = modules.map((module) => entry(module, isThere(module)));
    const rest = entries.slice(LISTED);
    return html`<ul>${entries.slice(0, LISTED)}</ul>${rest.length === 0 ? "" : html`<details><summary>${rest.length} more</summary><ul>${rest}</ul></details>`}`;
  };
  const missing = gaps === 0 ? "" : ` and not in ${count(gaps)} that gave no answer`;
  const friends =
    abi === undefined || abi.friends.length === 0
      ? ""
      : html`<h2>Friends <span class="dim">${abi.friends.length}</span></h2>${list(abi.friends, isHeld)}`;
  return html`<h2>Used by <span class="dim">${count(users.length)}</span></h2>${list(users, () => true)}<p class="small dim">Looked for in ${plural(accounts, "account")} read at this version${missing}; others are not known.</p>
<h2>Uses <span class="dim">${abi?.dependencies.length ?? "unknown"}</span></h2>${list(abi?.dependencies ?? [], isHeld)}${friends}`;
}
