import { openModuleArchive } from "../../../archive/read/module-archive.ts";
import { closing } from "../../../base/closing.ts";
import { MovedexError } from "../../../errors.ts";
import { deadWatches } from "../../../questions/watch/dead-watches.ts";
import { openIfThere } from "../../../work/open-if-there.ts";
import type { Store } from "../../../work/store.ts";
import type { CheckResult } from "./check-result.ts";

/** Watches that can have no alert, and places that take none any more. Nothing where the database cannot be read: its own check says so. */
export async function checkWatches(path: string): Promise<CheckResult[]> {
  let store: Store | undefined;
  try {
    store = await openIfThere(path);
    if (store === undefined) return [];
    const watches = await store.listWatches();
    const found: CheckResult[] = [];
    if (watches.length > 0) {
      await using archive = closing(await openModuleArchive(path));
      for (const { id, subject, reason } of await deadWatches(archive, store, watches))
        found.push({ state: "warn", subject: "watches", text: `watch ${id} of ${subject} hears nothing: ${reason}` });
    }
    for (const { channel, ended, waiting } of await store.listPlaces())
      if (ended !== null)
        found.push({
          state: "warn",
          subject: "watches",
          text: `the place ${channel} takes no alerts any more, ${waiting} waiting: ${ended.fault}`,
        });
    return found;
  } catch (error) {
    if (error instanceof MovedexError) return [];
    throw error;
  } finally {
    await store?.close();
  }
}
