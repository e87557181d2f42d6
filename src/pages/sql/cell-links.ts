import { parseU64 } from "../../base/u64.ts";
import { parseAddress } from "../../move/address.ts";
import { isIdentifier } from "../../move/module-id.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { text } from "../html/texts.ts";

/** Characters of a cell that are shown. */
const CELL_MAX = 400;
/** Characters from which a cell keeps a width of its own on a narrow screen, where a hash would stand in a column of letters. */
const WIDE = 40;

/** Columns of the views that name an account, and the module that stands beside each. */
const MODULES: Readonly<Record<string, string>> = { address: "module", other_address: "other_module", used_address: "used_module" };
const VERSIONS: ReadonlySet<string> = new Set(["ledger_version", "after_version", "at_or_before_version", "first_version", "last_version"]);

/** The cells of rows, those that name an account, a module, an item or a version as links to it. */
export function cellsOf(columns: readonly string[], rows: readonly (readonly string[])[], links: Links): Html[][] {
  const place = new Map(columns.map((name, i) => [name.toLowerCase(), i]));
  // Rows of functions and of structs call what they have `name`, as other rows do; what stands beside it tells.
  const itemColumn = place.has("visibility") || place.has("has_key") ? "name" : undefined;
  return rows.map((row) => {
    const value = (name: string): string => row[place.get(name) ?? -1] ?? "";
    const hrefs = new Map<number, string>();
    const link = (name: string, href: string): void => {
      const at = place.get(name);
      if (at !== undefined) hrefs.set(at, href);
    };
    const at = place.has("ledger_version") ? parseU64(value("ledger_version")) : undefined;
    for (const [column, beside] of Object.entries(MODULES)) {
      const address = parseAddress(value(column));
      if (address === undefined) continue;
      link(column, links.account(address));
      const name = value(beside);
      if (!isIdentifier(name)) continue;
      link(beside, links.module({ address, name }, { at }));
      const item =
        column === "address" ? (["function", "struct", "item"].find((one) => isIdentifier(value(one))) ?? itemColumn) : undefined;
      if (item !== undefined && isIdentifier(value(item))) link(item, links.item({ address, name }, value(item), { at }));
    }
    for (const name of VERSIONS) {
      const version = parseU64(value(name));
      if (version !== undefined) link(name, links.changes({ night: version }));
    }
    return row.map((cell, i) => shownCell(cell, hrefs.get(i)));
  });
}

function shownCell(cell: string, href: string | undefined): Html {
  const words = text(cell, CELL_MAX);
  const kind = /^-?\d+(?:\.\d+)?$/.test(cell) ? "num" : cell.length > WIDE ? "mono wide-cell" : "mono";
  return href === undefined ? html`<span class="${kind}">${words}</span>` : html`<a class="${kind}" href="${href}">${words}</a>`;
}
