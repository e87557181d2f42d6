import { describe, expect } from "vitest";
import { moduleArchive } from "../../../src/archive/read/module-archive.ts";
import { reachedEffects } from "../../../src/questions/diff/reached-effects.ts";
import { judgeWatches } from "../../../src/questions/watch/judge-watches.ts";
import { watchQueries } from "../../../src/work/alerts/watches.ts";
import { openStore } from "../../../src/work/store.ts";
import { moduleReader, type RecordedRelease, readReleases, releaseSnapshots } from "../../support/recorded-releases.ts";
import { sealModules } from "../../support/sealed-modules.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { rowsOf } from "../../support/store/ask-file.ts";
import { test } from "../../support/test.ts";

const subject = "0x1::coin::withdraw";

describe.skipIf(frameworkHistory === undefined)(`${subject} in 24 nights (skipped where the recorded releases are not there)`, () => {
  test("alerts ten times, and in each night in which what it reaches does something else", async ({ place }) => {
    const db = place.file("night.db");
    const read = moduleReader(frameworkHistory ?? "");
    const releases = readReleases(frameworkHistory ?? "").slice(-25);
    const snapshots = releaseSnapshots(releases, (sha256) => read(sha256).bytes);
    for (const [i, snapshot] of snapshots.entries()) {
      await sealModules(db, [snapshot]);
      await using store = await openStore(db, { mode: "write", now: () => 0 });
      const watch = { subject, uses: null, audience: "callers", level: "behaviour", since: snapshot.version } as const;
      if (i === 0) await watchQueries(store.engine).addWatch(watch, 0);
      await judgeWatches(moduleArchive(store.engine, db), () => 0);
    }
    const alerts = rowsOf<{ version: string }>(db, "SELECT CAST(ledger_version AS text) AS version FROM alerts");
    expect(alerts.length).toBeLessThanOrEqual(10);
    const effectsOf = async ({ modules }: RecordedRelease): Promise<string[]> => {
      const bytesOf = async (id: string) => (modules.has(id) ? read(modules.get(id) ?? "").bytes : undefined);
      return [...((await reachedEffects(bytesOf).reached(subject)) ?? [])].sort();
    };
    const told = new Set(alerts.map(({ version }) => version));
    const states = await Promise.all(releases.map(effectsOf));
    const others = snapshots.flatMap(({ version }, i) =>
      i > 0 && states[i - 1]?.join("\n") !== states[i]?.join("\n") ? [String(version)] : [],
    );
    expect(others.length).toBeGreaterThan(2);
    expect(others.filter((version) => !told.has(version))).toEqual([]);
  });
});
