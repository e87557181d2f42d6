import { memoize } from "../../../core/base/async.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import { coveringNeighbours } from "../../../core/questions/snapshot-choice.ts";
import type { ModuleChange } from "../judge/changes.ts";
import type { Links } from "./page-links.ts";

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
