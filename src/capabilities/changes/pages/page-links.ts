import { memoize } from "../../../core/base/async.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import { ConfigError } from "../../../core/errors.ts";
import type { Address } from "../../../core/move/address.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { coveringNeighbours } from "../../../core/questions/snapshot-choice.ts";
import type { ModuleChange } from "../judge/changes.ts";

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

/**
 * The sealed snapshots nearest to a change on both sides that have an answer about the account: what can be shown. Of a
 * change that `trace` found they are not the versions of the change itself.
 */
export type ChangeSnapshots = { readonly before: bigint | undefined; readonly after: bigint | undefined };

export async function withSnapshots<T extends { readonly change: ModuleChange }>(
  archive: ModuleArchive,
  changes: readonly T[],
): Promise<(T & ChangeSnapshots)[]> {
  const sealed = new Set(await readSealedVersions(archive.engine));
  const covers = memoize(Number.POSITIVE_INFINITY, (address, version) => `${address} ${version}`, archive.covers);
  const found: (T & ChangeSnapshots)[] = [];
  for (const each of changes) {
    const { address, afterVersion, atOrBeforeVersion } = each.change;
    const shows = async (version: bigint): Promise<boolean> => sealed.has(version) && (await covers(address, version));
    const before = (await shows(afterVersion)) ? afterVersion : (await coveringNeighbours(archive, address, afterVersion))[0];
    const after = (await shows(atOrBeforeVersion)) ? atOrBeforeVersion : (await coveringNeighbours(archive, address, atOrBeforeVersion))[1];
    found.push({ ...each, before, after });
  }
  return found;
}

/** Where a change is shown: the two versions compared, or the module where it came or the last that was seen. */
export function changeLink({ change, before, after }: { readonly change: ModuleChange } & ChangeSnapshots, links: Links): string {
  const id = { address: change.address, name: change.module };
  if (change.from === null || before === undefined) return links.module(id, { at: after });
  if (change.to === null || after === undefined) return links.module(id, { at: before });
  return links.diff(id, { from: before, to: after });
}

/** The address of the pages as an option gives it; undefined when none was given. @throws ConfigError */
export function pagesAddress(text: string | undefined, option: "--pages-url" | "--base-url"): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "")
    throw new ConfigError(`${option} is not a valid address. Give one such as https://host/.`);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** The address of the page of `serve` that lists alerts. */
export function pageOfAlerts(pages: URL): string {
  return new URL("changes?watched=1", pages).href;
}

/** The address of the page of `serve` that compares the two snapshots around a change. Undefined without a base address. */
export async function pageOfChange(
  archive: ModuleArchive,
  change: Omit<ModuleChange, "isExact" | "abiChanged">,
  pages: URL | undefined,
): Promise<string | undefined> {
  if (pages === undefined) return undefined;
  const [shown] = await withSnapshots(archive, [{ change: { ...change, isExact: false, abiChanged: null } }]);
  if (shown === undefined) return undefined;
  return new URL(changeLink(shown, linksFrom("/")), pages).href;
}
