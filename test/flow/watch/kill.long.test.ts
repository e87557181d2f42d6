import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { watchQueries } from "../../../src/capabilities/watch/alerts/watches.ts";
import type { AlertMessage } from "../../../src/capabilities/watch/tell/message.ts";
import { seededRandom } from "../../../src/core/base/random.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { changesIn, startReceiver } from "../../capabilities/watch/tell/support/receiver.ts";
import { ended, frameworkHistory, runCli, startMovedex, test, wasKilled } from "../../support/index.ts";
import { changedModules, moduleReader, type RecordedRelease, readReleases, releaseSnapshots } from "../../support/recorded-releases.ts";
import { type SnapshotOfModules, sealModules } from "../../support/sealed-modules.ts";

/** How often `tell` is killed, and how many releases are held. */
const [KILLS, RELEASES] = [20, 40];

/** As `watch add --since oldest`, which judges at once, without that. */
async function watch(db: string, subject: string): Promise<void> {
  const store = await openStore(db, { mode: "write", now: Date.now });
  await watchQueries(store.engine).addWatch({ subject, audience: null, level: "breaking", uses: null, since: null }, 0);
  await store.close();
}

describe.skipIf(frameworkHistory === undefined)("kill -9 of tell (skipped where the recorded history is not there)", () => {
  test(`at ${KILLS} moments, while it judges and while it tells: each breaking change is told, under one identifier`, async ({ place }) => {
    const history = readHistory(frameworkHistory ?? "");
    const random = seededRandom(20261122);
    await using receiver = await startReceiver();
    const [db, file] = [place.file("night.db"), place.file("alerts.jsonl")];
    await sealModules(db, history.snapshots);
    // Added one by one, so that each `tell` has something to judge.
    const toAdd = [...history.watched];
    const env = { ...process.env, NODE_COMPILE_CACHE: place.file("compiled") };
    const argv = ["tell", "--webhook", receiver.url, "--alerts-file", file, "--db", db];
    let kills = 0;
    while (kills < KILLS) {
      const id = toAdd.shift();
      if (id !== undefined) await watch(db, id);
      const child = startMovedex(argv, { env });
      const kind = random();
      receiver.behave = () => {
        if (kind < 0.7) {
          // Before its answer is sent, or when it may be on its way or recorded.
          if (random() < 0.5) child.kill("SIGKILL");
          else setTimeout(() => child.kill("SIGKILL"), random() * 12);
        }
        return random() < 0.1 ? { status: 500 } : { status: 200 };
      };
      const timer = setTimeout(() => child.kill("SIGKILL"), kind < 0.7 ? 20_000 : random() * 1_500);
      const isKilled = await wasKilled(child);
      clearTimeout(timer);
      if (isKilled) kills += 1;
      else if (toAdd.length === 0) break;
    }
    for (const id of toAdd) await watch(db, id);
    receiver.behave = () => ({ status: 200 });
    // A failed try is not made again for a minute.
    const clock = { now: () => Date.now() + 86_400_000, monotonic: () => performance.now(), sleep: async () => {} };
    const { stdout } = await ended(runCli([...argv, "--json"], { clock }));
    expect(JSON.parse(stdout)).toMatchObject({ waiting: 0, alerts_untold: 0, places_failed: 0 });

    const expected = await breakingChanges(db, history);
    const placeOf = (message: AlertMessage): string =>
      `${message.address}::${message.module} ${message.after_version} ${message.at_or_before_version}`;
    const byId = new Map(receiver.received.map(({ headers, body }) => [String(headers["webhook-id"]), changesIn(body)]));
    const ids = [...new Set(receiver.taken)];
    expect(ids.flatMap((id) => (byId.get(id) as AlertMessage[]).map(placeOf)).toSorted()).toEqual(expected);
    expect(receiver.taken.length - ids.length).toBeLessThanOrEqual(kills);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => placeOf(JSON.parse(line) as AlertMessage)).toSorted()).toEqual(expected);
    expect(kills).toBeGreaterThan(5);
  });
});

/** The snapshots that nights at each of the releases would seal, and the modules that changed most. */
type WatchedHistory = {
  readonly snapshots: readonly SnapshotOfModules[];
  /** Twenty modules, as `0x1::coin`. */
  readonly watched: readonly string[];
};

/** Reads the last releases. */
function readHistory(directory: string): WatchedHistory {
  const read = moduleReader(directory);
  const releases = readReleases(directory).slice(-RELEASES);
  const snapshots = releaseSnapshots(releases, (sha256) => read(sha256).bytes);
  const changes = new Map<string, number>();
  for (const [i, release] of releases.entries())
    for (const [id] of i === 0 ? [] : changedModules(releases[i - 1] as RecordedRelease, release))
      changes.set(id, (changes.get(id) ?? 0) + 1);
  const watched = [...changes].sort(([, a], [, b]) => b - a).map(([id]) => id);
  return { snapshots, watched: watched.slice(0, 20) };
}

/**
 * The breaking changes of the watched modules as `movedex diff` finds them between consecutive snapshots, as `0x1::coin 1000 2000`;
 * what it could not compare counts too.
 */
async function breakingChanges(db: string, { snapshots, watched }: WatchedHistory): Promise<string[]> {
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
