import type { ItemId } from "../../move/module-id.ts";
import { isSameModule } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, folded, shortAddress, shortName } from "../html/texts.ts";
import type { IsHeld } from "../module/held-modules.ts";

/** Items that are listed at all, and before the rest is folded. */
export const LISTED_MAX = 200;
const OPEN = 12;

/** How items are listed: at which version, without the module's own name, with links to what is held. */
type ListOptions = { readonly at: string | undefined; readonly own: ModuleId; readonly isHeld: IsHeld; readonly none: string };

/** Functions or structs as links under a heading; of more than `LISTED_MAX` it says so. */
export function itemList(title: string, items: readonly ItemId[], links: Links, { at, own, isHeld, none }: ListOptions): Html {
  const isCut = items.length > LISTED_MAX;
  const entries = items.slice(0, LISTED_MAX).map(({ module, name }) => {
    const path = html`${isSameModule(module, own) ? "" : html`<span class="dim">${module.address === own.address ? "" : `${shortAddress(module.address)}::`}${shortName(module.name, 30)}::</span><wbr>`}${shortName(name, 40)}`;
    return isHeld(module)
      ? html`<li><a class="mono" href="${links.item(module, name, { at })}">${path}</a></li>`
      : html`<li><span class="mono">${path}</span> <span class="dim small">not held</span></li>`;
  });
  const number = isCut ? `more than ${count(LISTED_MAX)}` : count(items.length);
  return html`<h2>${title} <span class="dim">${number}</span></h2>${items.length === 0 ? html`<p class="small dim">${none}</p>` : folded(entries, OPEN, (some) => html`<ul>${some}</ul>`)}`;
}
