import type { ChangeStore, JudgedChange, ModuleChange } from "../../archive/read/changes.ts";
import type { SnapshotCounts } from "../../archive/read/status-queries.ts";

/** Changes after which the next night is asked for alone. */
const BUSY = 500;
/** Nights that are asked for at once. */
const NIGHTS = 128;

/** A snapshot with what it showed that the one before, `after`, did not. */
export type NightChanges = { readonly snapshot: SnapshotCounts; readonly after: bigint; readonly changes: readonly JudgedChange[] };

/**
 * Snapshots with what each showed, the newest first, from the one at the place `start` on. Several are asked for at once, ever
 * more of them: most nights are quiet. @param sealed newest version first
 */
export async function* nightsFrom(
  store: Pick<ChangeStore, "listModuleChanges">,
  sealed: readonly SnapshotCounts[],
  start = 0,
): AsyncGenerator<NightChanges> {
  let size = 1;
  let i = start;
  while (i < sealed.length - 1) {
    const some = sealed.slice(i, i + size + 1);
    const [newest, oldest] = [some[0] as SnapshotCounts, some.at(-1) as SnapshotCounts];
    const changes = await store.listModuleChanges({ after: oldest.ledgerVersion, upTo: newest.ledgerVersion });
    const shownBy = ({ atOrBeforeVersion }: ModuleChange) => some.findLast(({ ledgerVersion }) => ledgerVersion >= atOrBeforeVersion);
    const byNight = Map.groupBy(changes, shownBy);
    for (const [place, snapshot] of some.slice(0, -1).entries()) {
      yield { snapshot, after: some[place + 1]?.ledgerVersion ?? -1n, changes: byNight.get(snapshot) ?? [] };
    }
    i += size;
    size = changes.length > BUSY ? 1 : Math.min(NIGHTS, size * 4);
  }
}
