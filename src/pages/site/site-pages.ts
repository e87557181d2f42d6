import type { PageArchive } from "../page-archive.ts";
import type { PageName } from "../routes.ts";
import { paths, structFile } from "./site-links.ts";
import type { SiteModule, SiteWorld } from "./site-world.ts";

/** A file of the site and the page that it holds, as it would be asked of the service. */
export type SitePage = {
  readonly file: string;
  readonly page: PageName;
  readonly parts: readonly string[];
  readonly values: Readonly<Record<string, string>>;
};

/** Pages that belong to no module and no account. */
export function commonPages(nights: SiteWorld["nights"]): SitePage[] {
  const page = (file: string, name: PageName, values: SitePage["values"] = {}): SitePage => ({ file, page: name, parts: [], values });
  return [
    ...nights.map((night) => page(paths.night(night), "page.changes", { night: `${night}` })),
    page("changes.html", "page.changes"),
    page("changes.atom", "page.feed"),
    page("coverage.html", "page.coverage"),
    page("gaps.html", "page.gaps"),
    page("index.html", "page.home"),
  ];
}

export function accountPage(address: string): SitePage {
  return { file: paths.account(address), page: "page.account", parts: [address], values: {} };
}

/** How many pages and files a module has: `pages` of its functions and structs, and which of its versions can be read. */
export function countModulePages({ from, stands }: SiteModule, pages: number, readable: readonly boolean[]): number {
  const files = from.length - 1 + 2 * from.length + readable.filter((is) => is).length;
  return stands && readable.at(-1) ? files + pages : files;
}

/**
 * The pages and files of a module: each version, each pair of consecutive versions, and the current items. Linked pages come before those
 * that link to them.
 */
export async function modulePages({ modules }: PageArchive, module: SiteModule): Promise<SitePage[]> {
  const { address, name, from, stands } = module;
  const parts = [address, name];
  const pages: SitePage[] = [];
  const file = (path: string, values: SitePage["values"]): SitePage => {
    const ending = path.endsWith(".mv") ? "bytecode.mv" : "abi.json";
    return { file: path, page: "page.item", parts: [...parts, ending], values };
  };
  const spans = await modules.historyOf({ address, name });
  const readable = async (i: number): Promise<boolean> => (await modules.content(spans[i] as { bytecode: bigint })).kind !== "unreadable";
  for (const [i, version] of from.entries()) {
    const at = `${version}`;
    const next = from[i + 1];
    if (next !== undefined)
      pages.push({ file: paths.diff(module, version, next), page: "page.diff", parts, values: { from: at, to: `${next}`, code: "1" } });
    if (stands && next === undefined) continue;
    pages.push(file(paths.at(module, version, "mv"), { at }));
    if (await readable(i)) pages.push(file(paths.at(module, version, "json"), { at }));
    pages.push({ file: paths.at(module, version), page: "page.module", parts, values: { at, all: "1" } });
  }
  if (!stands) return pages;
  pages.push(file(paths.file(module, "bytecode.mv"), {}));
  if (await readable(from.length - 1)) {
    pages.push(file(paths.file(module, "abi.json"), {}));
    const content = await modules.content(spans.at(-1) as { bytecode: bigint });
    if (content.kind !== "unreadable") {
      const { functions, structs } = content.kind === "decoded" ? content.module.abi : content.abi;
      const item = (path: string, of: string, values: SitePage["values"]): SitePage => ({
        file: path,
        page: "page.item",
        parts: [...parts, of],
        values,
      });
      for (const of of functions) pages.push(item(paths.item(module, of.name), of.name, {}));
      for (const of of structs) {
        const isTaken = functions.some((fn) => fn.name === of.name);
        pages.push(item(isTaken ? structFile(module, of.name) : paths.item(module, of.name), of.name, isTaken ? { kind: "struct" } : {}));
      }
    }
  }
  pages.push({ file: paths.module(module), page: "page.module", parts, values: {} });
  return pages;
}
