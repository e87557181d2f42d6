import { isExposed, type ModuleAbi } from "../../abi/model.ts";
import { flag, type Html, html } from "../html/html.ts";
import { shortName, table, text } from "../html/texts.ts";
import { isAnchor } from "./source-html.ts";

/** Items of a list that are shown before the rest is folded. */
const LISTED = 12;

/** The module's error codes as they come out of an abort, and what each means; folded where there are many. */
export function errorTable({ errors }: ModuleAbi): Html {
  if (errors.length === 0) return html``;
  const rows = errors.map(({ code, name, description }) => [
    html`<span class="num">${code}</span>`,
    isAnchor(`error.${name}`)
      ? html`<span class="mono" id="error.${name}">${shortName(name)}</span>`
      : html`<span class="mono">${shortName(name)}</span>`,
    text(description, 500),
  ]);
  const codes = table("Error codes", ["Code", "Name", "Meaning"], rows);
  return html`<h2 id="errors">Error codes <span class="dim">${errors.length}</span></h2>
<details${flag("open", errors.length <= LISTED)}><summary>Codes, names and meanings</summary><div class="narrow">${codes}</div></details>`;
}

/** The items of the module by kind: functions and structs lead to their own pages, errors to their row. */
export function itemIndex({ functions, structs, errors }: ModuleAbi, all: boolean, pageOf: (item: string) => string): Html {
  const list = (title: string, entries: readonly (readonly [name: string, href: string | undefined])[]): Html => {
    const items = entries.map(([name, href]) =>
      href === undefined
        ? html`<li class="mono">${shortName(name, 40)}</li>`
        : html`<li><a class="mono" href="${href}">${shortName(name, 40)}</a></li>`,
    );
    const isOpen = entries.length <= LISTED;
    const head = html`<summary>${title} <span class="dim">${entries.length}</span></summary>`;
    return html`<details${flag("open", isOpen)}>${head}<ul>${items}</ul></details>`;
  };
  const pages = (items: readonly { readonly name: string }[]) => items.map(({ name }) => [name, pageOf(name)] as const);
  const lists = {
    "Entry functions": pages(functions.filter((fn) => fn.isEntry)),
    "View functions": pages(functions.filter((fn) => fn.isView && !fn.isEntry)),
    "Other open functions": pages(functions.filter((fn) => isExposed(fn) && !fn.isEntry && !fn.isView)),
    "Private functions": all ? pages(functions.filter((fn) => !isExposed(fn))) : [],
    "Structs and enums": pages(structs),
    "Error codes": errors.map(({ code, name }) => [`${code} ${name}`, isAnchor(`error.${name}`) ? `#error.${name}` : undefined] as const),
  };
  const filled = Object.entries(lists).filter(([, entries]) => entries.length > 0);
  return html`<h2>In this module</h2>${filled.map(([title, entries]) => list(title, entries))}`;
}
