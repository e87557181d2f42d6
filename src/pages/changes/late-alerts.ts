import { alertsOf, lastNight, sealedAmong } from "../../questions/diff/last-night.ts";
import type { PageArchive } from "../page-archive.ts";
import { type ChangeFilter, isHeard, isNamed } from "./change-filter.ts";
import { countBySeverity, entriesOf } from "./entries.ts";
import { type Night, shownEntries } from "./feed.ts";
import { withAlerts } from "./watched.ts";
import { type WeighedChange, worstFirst } from "./weighed-change.ts";

/** Alerts that are looked up, and older snapshots whose changes are shown for them. */
const [ALERTS_MAX, SNAPSHOTS_MAX] = [200, 10];

/** Alerts that the last night found in snapshots older than its own, by snapshot: completed late, or read backwards. The newest first. */
export async function readLateAlerts({ store, summaries, modules }: PageArchive, filter: ChangeFilter): Promise<Night[]> {
  const sealed = sealedAmong(await store.listSnapshots());
  const last = lastNight(sealed);
  const alerts = (await store.listAlerts(alertsOf(sealed, last), ALERTS_MAX)).filter(({ shownBy }) => shownBy <= last.after);
  const bySnapshot = [...Map.groupBy(alerts, ({ shownBy }) => shownBy)].sort(([a], [b]) => (a < b ? 1 : -1));
  const nights: Night[] = [];
  for (const [version, found] of bySnapshot.slice(0, SNAPSHOTS_MAX)) {
    const place = sealed.findIndex(({ ledgerVersion }) => ledgerVersion === version);
    const snapshot = sealed[place];
    if (snapshot === undefined) continue;
    const stretch = { after: sealed[place + 1]?.ledgerVersion ?? -1n, upTo: version };
    const names = new Set(found.map(({ address, module }) => `${address} ${module}`));
    const weighed: WeighedChange[] = [];
    for await (const change of store.moduleChanges(stretch))
      if (names.has(`${change.address} ${change.module}`) && isNamed(change, filter))
        weighed.push({ change, summary: await summaries.of(change) });
    const heard = weighed.filter(({ summary }) => isHeard(summary, filter));
    const changes = (await withAlerts(store, stretch, heard)).filter(({ watched }) => watched !== undefined);
    if (changes.length === 0) continue;
    const foundAt = found.reduce((latest, { judgedAt }) => Math.max(latest, judgedAt), 0);
    const entries = await shownEntries({ modules }, entriesOf(worstFirst(changes), true));
    nights.push({ snapshot, after: stretch.after, foundAt, entries, total: changes.length, bySeverity: countBySeverity(changes) });
  }
  return nights;
}
