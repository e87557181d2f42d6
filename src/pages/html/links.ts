import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/types/types.ts";

/** Values of a query string; what is undefined is left out. */
export type QueryValues = Readonly<Record<string, string | bigint | number | undefined>>;

/** The addresses of all pages, as links from one of them: relative, so that they hold behind a proxy with a path of its own. */
export type Links = {
  /** The newest sealed version where pages are files, which name it only where they change with it; undefined where a service answers. */
  readonly newest?: bigint;
  readonly home: string;
  readonly search: (query?: QueryValues) => string;
  readonly account: (address: Address, query?: QueryValues) => string;
  readonly module: (id: ModuleId, query?: QueryValues, anchor?: string) => string;
  /** A function or struct of a module. */
  readonly item: (id: ModuleId, item: string, query?: QueryValues) => string;
  /** A file of a module: `bytecode.mv`, `abi.json`, `typings.tar`, `typings-python.tar`. */
  readonly file: (id: ModuleId, file: string, query?: QueryValues) => string;
  readonly diff: (
    id: ModuleId,
    query: QueryValues & { readonly from: bigint | string; readonly to: bigint | string },
    anchor?: string,
  ) => string;
  readonly changes: (query?: QueryValues) => string;
  readonly feed: (query?: QueryValues) => string;
  readonly coverage: (query?: QueryValues) => string;
  readonly gaps: (query?: QueryValues) => string;
  readonly sql: (query?: QueryValues) => string;
  readonly sqlFile: (query?: QueryValues, format?: "csv" | "json") => string;
  /** A path of the API: `spec`. */
  readonly api: (path: string) => string;
  readonly asset: (name: string) => string;
};

/** The links from the page at a path as it was requested, such as `/module/0x1/coin`. */
export function linksFrom(path: string): Links {
  const root = rootFrom(path);
  const to = (segments: readonly string[], query: QueryValues = {}, anchor = ""): string => {
    const values = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) values.set(name, String(value));
    const end = `${values.size === 0 ? "" : `?${values}`}${anchor === "" ? "" : `#${encodeURIComponent(anchor)}`}`;
    return `${root}${segments.map(segment).join("/")}${end}`;
  };
  return {
    home: root,
    search: (query) => to(["search"], query),
    account: (address, query) => to(["account", address], query),
    module: ({ address, name }, query, anchor) => to(["module", address, name], query, anchor),
    item: ({ address, name }, item, query) => to(["module", address, name, item], query),
    file: ({ address, name }, file, query) => to(["module", address, name, file], query),
    diff: ({ address, name }, query, anchor) => to(["diff", address, name], query, anchor),
    changes: (query) => to(["changes"], query),
    feed: (query) => to(["changes.atom"], query),
    coverage: (query) => to(["coverage"], query),
    gaps: (query) => to(["gaps"], query),
    sql: (query) => to(["sql"], query),
    sqlFile: (query, format = "csv") => to([`sql.${format}`], query),
    api: (path) => `${root}v1/${path}`,
    asset: (name) => to(["static", name]),
  };
}

export function rootFrom(path: string): string {
  const depth = Math.max(0, path.split("/").length - 2);
  return depth === 0 ? "./" : "../".repeat(depth);
}

/** A segment of a path. A browser would take dots alone for a step up, however they are escaped; no module has such a name. */
function segment(text: string): string {
  return /^\.{1,2}$/.test(text) ? "-" : encodeURIComponent(text);
}
