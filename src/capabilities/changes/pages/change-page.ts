import { memoize } from "../../../core/base/async.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import { ConfigError } from "../../../core/errors.ts";
import { coveringNeighbours } from "../../../core/questions/snapshot-choice.ts";
import type { ModuleChange } from "../judge/changes.ts";
import { type Links, linksFrom } from "./page-links.ts";

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
