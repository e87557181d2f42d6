import type { Address } from "../../../core/move/address.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";

/** Values of a query string; what is undefined is left out. */
export type QueryValues = Readonly<Record<string, string | bigint | number | undefined>>;

/** The links from the page at a path as it was requested, such as `/module/0x1/coin`: relative, so that they hold behind a proxy. */
export function linksFrom(path: string) {
  const root = rootFrom(path);
  const to = (segments: readonly string[], query: QueryValues = {}, anchor = ""): string => {
    const values = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) values.set(name, String(value));
    const end = `${values.size === 0 ? "" : `?${values}`}${anchor === "" ? "" : `#${encodeURIComponent(anchor)}`}`;
    return `${root}${segments.map(segment).join("/")}${end}`;
  };
  return {
    home: root,
    search: (query?: QueryValues) => to(["search"], query),
    account: (address: Address, query?: QueryValues) => to(["account", address], query),
    module: ({ address, name }: ModuleId, query?: QueryValues, anchor?: string) => to(["module", address, name], query, anchor),
    /** A function or struct of a module. */
    item: ({ address, name }: ModuleId, item: string, query?: QueryValues) => to(["module", address, name, item], query),
    /** A file of a module: `bytecode.mv`, `abi.json`. */
    file: ({ address, name }: ModuleId, file: string, query?: QueryValues) => to(["module", address, name, file], query),
    /** What a module means by an abort code. */
    error: ({ address, name }: ModuleId, code: bigint | string, query?: QueryValues) => to(["error", address, name, String(code)], query),
    diff: ({ address, name }: ModuleId, query?: QueryValues, anchor?: string) => to(["diff", address, name], query, anchor),
    changes: (query?: QueryValues) => to(["changes"], query),
    feed: (query?: QueryValues) => to(["changes.atom"], query),
    coverage: (query?: QueryValues) => to(["coverage"], query),
    /** What the node prunes within a day. */
    going: () => to(["going"]),
    gaps: (query?: QueryValues) => to(["gaps"], query),
    sql: (query?: QueryValues) => to(["sql"], query),
    sqlFile: (query?: QueryValues, format: "csv" | "json" = "csv") => to([`sql.${format}`], query),
    /** A path of the API: `spec`. */
    api: (path: string) => `${root}v1/${path}`,
    asset: (name: string) => to(["static", name]),
  };
}

/** The addresses of all pages, as links from one of them. */
export type Links = Readonly<ReturnType<typeof linksFrom>>;

function rootFrom(path: string): string {
  const depth = Math.max(0, path.split("/").length - 2);
  return depth === 0 ? "./" : "../".repeat(depth);
}

/** A segment of a path. A browser would take dots alone for a step up, however they are escaped; no module has such a name. */
function segment(text: string): string {
  return /^\.{1,2}$/.test(text) ? "-" : encodeURIComponent(text);
}
