import { afterAll } from "vitest";
import { type SampleArchive, sampleArchive, temporaryDirectory } from "../../../support/index.ts";
import type { Settings } from "../../serve/support/served-archive.ts";
import { type ServedPages, servePages } from "./served-pages.ts";

/** Two nights of the sample ledger, served with their pages until the end of the file that asks for them. */
export async function serveSample(
  settingsFor: (db: string) => Settings = () => ({}),
): Promise<{ readonly sample: SampleArchive; readonly served: ServedPages }> {
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());
  const sample = await sampleArchive(kept.use(temporaryDirectory()).file("sample.db"));
  return { sample, served: kept.use(await servePages(sample.db, settingsFor(sample.db))) };
}
