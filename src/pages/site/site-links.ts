import { fileName } from "../../exchange/file-name.ts";
import type { Address } from "../../move/address.ts";
import { formatModuleId, type ModuleId } from "../../move/module-id.ts";
import { type Links, type QueryValues, rootFrom } from "../html/links.ts";
import type { SiteModule, SiteWorld } from "./site-world.ts";

/** Where the files of a site lie, from its root. Names are made safe for every file system. */
export const paths = {
  account: (address: string) => `account/${address}.html`,
  module: ({ address, name }: ModuleId) => `module/${address}/${fileName(name)}.html`,
  item: ({ address, name }: ModuleId, item: string) => `module/${address}/${fileName(name)}/${fileName(item)}.html`,
  file: ({ address, name }: ModuleId, file: string) => `module/${address}/${fileName(name)}/${file}`,
  /** An earlier version of a module. */
  at: ({ address, name }: ModuleId, from: bigint, ending = "html") => `module/${address}/${fileName(name)}/at/${from}.${ending}`,
  diff: ({ address, name }: ModuleId, from: bigint, to: bigint) => `diff/${address}/${fileName(name)}/${from}-${to}.html`,
  night: (version: bigint) => `changes/${version}.html`,
} as const;

/** A module, or an account by its address: what is made as one. */
export type SiteUnit = SiteModule | Address;

/** The name of a unit: the path of its own page without the ending. */
export function unitOf(unit: SiteUnit): string {
  return (typeof unit === "string" ? paths.account(unit) : paths.module(unit)).slice(0, -".html".length);
}

/** The unit that a file belongs to; of files of other kinds a name that no unit has. */
export function unitOfFile(file: string): string {
  const [folder, address, name] = file.split("/");
  if (name === undefined) return file.replace(/\.html$/, "");
  return `${folder === "diff" ? "module" : folder}/${address}/${name.replace(/\.html$/, "")}`;
}

/**
 * The links from one file of a site. What a file cannot answer (a filter, any two versions) leads to the nearest page that there is.
 * They are relative, or begin with the site's address where one is given.
 */
export function siteLinks({ newest, nights, modules, accounts }: SiteWorld, path: string, baseUrl: string | undefined): Links {
  const root = baseUrl ?? rootFrom(`/${path}`);
  const to = (file: string, anchor = ""): string =>
    `${root}${file.split("/").map(encodeURIComponent).join("/")}${anchor === "" ? "" : `#${encodeURIComponent(anchor)}`}`;
  const versionOf = (module: SiteModule, at: QueryValues[string]): number => {
    const version = at === undefined ? undefined : BigInt(at);
    return version === undefined ? module.from.length - 1 : module.from.findLastIndex((from) => from <= version);
  };
  const isNewest = (module: SiteModule, at: QueryValues[string]): boolean =>
    module.stands && versionOf(module, at) === module.from.length - 1;
  const earlierFile = (module: SiteModule, at: QueryValues[string], ending?: string): string =>
    paths.at(module, module.from[Math.max(0, versionOf(module, at))] as bigint, ending);
  const moduleFile = (id: ModuleId, at: QueryValues[string]): string => {
    const module = modules.get(formatModuleId(id));
    if (module === undefined) return accountFile(id.address);
    return isNewest(module, at) ? paths.module(id) : earlierFile(module, at);
  };
  const accountFile = (address: string): string => (accounts.has(address as Address) ? paths.account(address) : "coverage.html");
  const nightFile = (night: QueryValues[string]): string =>
    night !== undefined && nights.has(BigInt(night)) ? paths.night(BigInt(night)) : "changes.html";
  const changes = ({ night, from, account }: QueryValues = {}): string =>
    account !== undefined && night !== undefined ? to(accountFile(String(account))) : to(nightFile(night ?? from));
  return {
    newest,
    home: to("index.html"),
    search: ({ q } = {}) => `${to("search.html")}${q === undefined ? "" : `?${new URLSearchParams({ q: String(q) })}`}`,
    account: (address) => to(accountFile(address)),
    module: (id, query = {}, anchor) => to(moduleFile(id, query["at"]), anchor),
    item: (id, item, query = {}) => {
      const module = modules.get(formatModuleId(id));
      const isOwn = module !== undefined && isNewest(module, query["at"]);
      return to(isOwn ? (query["kind"] === "struct" ? structFile(id, item) : paths.item(id, item)) : moduleFile(id, query["at"]));
    },
    file: (id, file, query = {}) => {
      const module = modules.get(formatModuleId(id));
      if (module === undefined || isNewest(module, query["at"])) return to(paths.file(id, file));
      return to(earlierFile(module, query["at"], file.split(".").at(-1)));
    },
    diff: (id, { from, to: until, full }, anchor) => {
      const module = modules.get(formatModuleId(id));
      const [a, b] = module === undefined ? [-1, -1] : [versionOf(module, from), versionOf(module, until)];
      if (module === undefined || full !== undefined || a < 0 || b !== a + 1) return to(moduleFile(id, until));
      return to(paths.diff(id, module.from[a] as bigint, module.from[b] as bigint), anchor);
    },
    changes,
    feed: () => to("changes.atom"),
    coverage: () => to("coverage.html"),
    gaps: () => to("gaps.html"),
    sql: () => to("data.html"),
    sqlFile: () => to("data.html"),
    api: (file) => to(`${file}.html`),
    asset: (name) => to(`static/${name}`),
  };
}

/** The page of a struct that has the name of a function of its module. */
export function structFile(id: ModuleId, item: string): string {
  return paths.item(id, item).replace(/\.html$/, "~struct.html");
}
