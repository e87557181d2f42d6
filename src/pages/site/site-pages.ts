import { printedModule } from "../../questions/module-source.ts";
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
    ...[...nights].map((night) => page(paths.night(night), "page.changes", { night: `${night}` })),
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
  const pages: SitePage[] = [];
  const add = (file: string, page: PageName, values: SitePage["values"], ...rest: string[]): void => {
    pages.push({ file, page, parts: [address, name, ...rest], values });
  };
  const spans = await modules.historyOf({ address, name });
  for (const [i, version] of from.entries()) {
    const [at, next] = [`${version}`, from[i + 1]];
    const isCurrent = stands && next === undefined;
    const values: SitePage["values"] = isCurrent ? {} : { at };
    const content = await modules.content(spans[i] as { bytecode: bigint });
    if (next !== undefined) add(paths.diff(module, version, next), "page.diff", { from: at, to: `${next}`, code: "1" });
    add(isCurrent ? paths.file(module, "bytecode.mv") : paths.at(module, version, "mv"), "page.item", values, "bytecode.mv");
    if (content.kind !== "unreadable") {
      add(isCurrent ? paths.file(module, "abi.json") : paths.at(module, version, "json"), "page.item", values, "abi.json");
      const { functions, structs } = printedModule(content).abi;
      for (const { name: item } of isCurrent ? functions : []) add(paths.item(module, item), "page.item", {}, item);
      for (const { name: item } of isCurrent ? structs : []) {
        const isTaken = functions.some((fn) => fn.name === item);
        add(isTaken ? structFile(module, item) : paths.item(module, item), "page.item", isTaken ? { kind: "struct" } : {}, item);
      }
    }
    add(isCurrent ? paths.module(module) : paths.at(module, version), "page.module", isCurrent ? {} : { at, all: "1" });
  }
  return pages;
}
