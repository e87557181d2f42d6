import type { FunctionAbi, ModuleAbi } from "../../abi/model.ts";
import { isOpen } from "../../abi/print/interface-text.ts";
import { type Html, html } from "../html/html.ts";
import { shortName, table, text } from "../html/texts.ts";
import { isAnchor } from "./source-html.ts";

/** Items of a list that are shown before the rest is folded. */
const LISTED = 12;

/** The module's error codes as they come out of an abort, and what each means. */
export function errorTable({ errors }: ModuleAbi): Html {
  if (errors.length === 0) return html``;
  const rows = errors.map(({ code, name, description }) => [
    html`<span class="num">${code}</span>`,
    isAnchor(`error.${name}`)
      ? html`<a class="mono" href="#error.${name}">${shortName(name)}</a>`
      : html`<span class="mono">${shortName(name)}</span>`,
    text(description, 500),
  ]);
  return html`<h2 id="errors">Error codes <span class="dim">${errors.length}</span></h2>${table("Error codes", ["Code", "Name", "Meaning"], rows)}`;
}

/** The items of the module by kind, each a link into the source. */
export function itemIndex({ functions, structs, errors }: ModuleAbi, all: boolean): Html {
  const entry = (anchor: string, name: string) =>
    isAnchor(anchor)
      ? html`<li><a class="mono" href="#${anchor}">${shortName(name, 40)}</a></li>`
      : html`<li class="mono">${shortName(name, 40)}</li>`;
  const list = (title: string, anchors: readonly (readonly [string, string])[]): Html =>
    anchors.length === 0
      ? html``
      : html`<details${openIf(anchors.length <= LISTED)}><summary>${title} <span class="dim">${anchors.length}</span></summary><ul>${anchors.map(([anchor, name]) => entry(anchor, name))}</ul></details>`;
  const of = (choose: (fn: FunctionAbi) => boolean) => functions.filter(choose).map(({ name }) => [`fun.${name}`, name] as const);
  const isPlain = (fn: FunctionAbi): boolean => isOpen(fn) && !fn.isEntry && !fn.isView;
  return html`<h2>In this module</h2>${list(
    "Entry functions",
    of((fn) => fn.isEntry),
  )}${list(
    "View functions",
    of((fn) => fn.isView && !fn.isEntry),
  )}${list("Other open functions", of(isPlain))}${
    all
      ? list(
          "Private functions",
          of((fn) => !isOpen(fn)),
        )
      : ""
  }${list(
    "Structs and enums",
    structs.map(({ name }) => [`struct.${name}`, name] as const),
  )}${list(
    "Error codes",
    errors.map(({ code, name }) => [`error.${name}`, `${code} ${name}`] as const),
  )}`;
}

function openIf(isOpenNow: boolean): Html {
  return isOpenNow ? html` open` : html``;
}
