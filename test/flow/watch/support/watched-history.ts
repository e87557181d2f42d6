import { expect } from "vitest";
import { changedModules, moduleReader, type RecordedRelease, readReleases, releaseSnapshots } from "../../../support/recorded-releases.ts";
import { runCli } from "../../../support/run-cli.ts";
import type { SnapshotOfModules } from "../../../support/sealed-modules.ts";

/** Recorded releases, the snapshots that nights at each of them would seal, and the modules that changed most. */
export type WatchedHistory = {
  readonly releases: readonly RecordedRelease[];
  readonly snapshots: readonly SnapshotOfModules[];
  /** Twenty modules, as `0x1::coin`. */
  readonly watched: readonly string[];
};

/** Reads the releases that `pick` leaves. */
export function readHistory(directory: string, pick: (all: readonly RecordedRelease[]) => readonly RecordedRelease[]): WatchedHistory {
  const read = moduleReader(directory);
  const releases = pick(readReleases(directory));
  const snapshots = releaseSnapshots(releases, (sha256) => read(sha256).bytes);
  const changes = new Map<string, number>();
  for (const [i, release] of releases.entries())
    for (const [id] of i === 0 ? [] : changedModules(releases[i - 1] as RecordedRelease, release))
      changes.set(id, (changes.get(id) ?? 0) + 1);
  const watched = [...changes].sort(([, a], [, b]) => b - a).map(([id]) => id);
  return { releases, snapshots, watched: watched.slice(0, 20) };
}

/**
 * The breaking changes of the watched modules as `movedex diff` finds them between consecutive snapshots, as `0x1::coin 1000 2000`;
 * what it could not compare counts too.
 */
export async function breakingChanges(db: string, { snapshots, watched }: WatchedHistory): Promise<string[]> {
  const found: string[] = [];
  for (const [i, { version }] of snapshots.entries()) {
    const before = snapshots[i - 1]?.version;
    if (before === undefined) continue;
    const { json, code, stderr } = await runCli(["diff", `${before}`, `${version}`, "--format", "json", "--db", db]);
    expect([0, 100, 101], stderr).toContain(code);
    const { modules, incomparable } = json() as {
      modules: { address: string; module: string; findings: { severity: string }[] }[];
      incomparable: { subject: string }[];
    };
    const bad = modules.filter(({ findings }) => findings.some(({ severity }) => severity === "breaking"));
    const ids = new Set([...bad.map(({ address, module }) => `${address}::${module}`), ...incomparable.map(({ subject }) => subject)]);
    found.push(...[...ids].filter((id) => watched.includes(id)).map((id) => `${id} ${before} ${version}`));
  }
  return found.toSorted();
}
