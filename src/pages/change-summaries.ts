import { setImmediate } from "node:timers/promises";
import type { ModuleArchive } from "../archive/read/module-archive.ts";
import { type ChangedModule, type ChangeSummary, compareChange, summarise } from "../questions/diff/change-summary.ts";

/** Summaries that are remembered: what two bytecodes differ in never changes. */
const KEPT = 20_000;

/** Summaries of changes, each worked out once. */
export class ChangeSummaries {
  readonly #archive: ModuleArchive;
  readonly #known = new Map<string, ChangeSummary>();

  constructor(archive: ModuleArchive) {
    this.#archive = archive;
  }

  /** A comparison takes some milliseconds: others get their turn after each one that is not known yet. */
  async of(change: ChangedModule): Promise<ChangeSummary> {
    const key = `${change.address} ${change.module} ${change.from} ${change.to}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    await setImmediate();
    const summary = summarise(await compareChange(this.#archive, change));
    this.#known.set(key, summary);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
    return summary;
  }

  /** Whether it is known without work. */
  knows({ address, module, from, to }: ChangedModule): boolean {
    return this.#known.has(`${address} ${module} ${from} ${to}`);
  }
}
