import Database from "better-sqlite3";
import { describe, expect } from "vitest";
import { type History, replayHistory, startSimNode } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { test } from "../../support/test.ts";

type Change = { readonly id: string; readonly version: bigint; readonly from: string | null; readonly to: string | null };
type Found = {
  readonly id: string;
  readonly after: bigint;
  readonly version: bigint;
  readonly exact: bigint;
  readonly from: string | null;
  readonly to: string | null;
};

const directory = frameworkHistory as string;
const title = "tracing the real framework history";
const night = ["--rate", "0", "--concurrency", "2", "--json"];

async function sync(url: string, db: string, version: bigint): Promise<void> {
  await ended(runCli(["sync", "--rpc", url, "--db", db, "--ledger-version", `${version}`, ...night]));
}

/** Every change of every module after the first release, as the recording has it. */
function changesOf(history: History): Change[] {
  return history.releases.slice(1).flatMap(({ version, modules }, index) => {
    const before = history.releases[index]?.modules as ReadonlyMap<string, string>;
    const ids = new Set([...before.keys(), ...modules.keys()]);
    return [...ids].flatMap((id) => {
      const [from, to] = [before.get(id) ?? null, modules.get(id) ?? null];
      return from === to ? [] : [{ id, version, from, to }];
    });
  });
}

function found(db: string): Found[] {
  const database = new Database(db, { readonly: true });
  const sql =
    "SELECT address || '::' || module AS id, after_version AS after, at_or_before_version AS version, is_exact AS exact, from_sha256 AS 'from', to_sha256 AS 'to' FROM module_changes";
  const rows = database.prepare<[], Found>(sql).safeIntegers().all();
  database.close();
  return rows;
}

const asText = ({ id, version, from, to }: Change): string => `${id} ${version} ${from} ${to}`;

describe.skipIf(frameworkHistory === undefined)(
  `${title}${frameworkHistory === undefined ? " (skipped: the recorded releases are not beside the repository)" : ""}`,
  () => {
    test("134 releases as snapshots: each change is named at its exact version, with at most one probe more than halving needs", async ({
      place,
    }) => {
      const history = replayHistory({ directory, versionsPerRelease: 8n });
      await using node = await startSimNode({ ledger: history.ledger, log: false });
      const db = place.file("night.db");
      for (const { version } of history.releases) await sync(node.url, db, version + 3n);
      const expected = changesOf(history);
      expect(found(db)).toHaveLength(expected.length);

      const { json } = await ended(runCli(["trace", "--rpc", node.url, "--db", db, ...night]));
      const summary = json() as {
        changes: { probes: number; least_probes: number; state: string }[];
        probes: number;
        least_probes: number;
        exact: number;
      };
      expect(summary.exact).toBe(expected.length);
      for (const { probes, least_probes, state } of summary.changes) {
        expect(state).toBe("exact");
        expect(least_probes).toBe(3);
        expect(probes).toBeLessThanOrEqual(least_probes + 1);
      }
      expect(summary.probes).toBeLessThanOrEqual(summary.least_probes * 1.25);
      expect(found(db).every(({ exact }) => exact === 1n)).toBe(true);
      expect(found(db).map(asText).sort()).toEqual(expected.map(asText).sort());
      // Everything is exact, so a second run has nothing to ask.
      expect((await runCli(["trace", "--rpc", node.url, "--db", db, ...night])).json()).toMatchObject({ changes: [], probes: 0 });
    });

    test("several releases between two snapshots are told apart; only what changed back and forth may hide", async ({ place }) => {
      const history = replayHistory({ directory, count: 60, versionsPerRelease: 64n });
      await using node = await startSimNode({ ledger: history.ledger, log: false });
      const db = place.file("night.db");
      const [first, last] = [history.releases[20]?.version as bigint, history.ledger.head];
      await sync(node.url, db, first);
      await sync(node.url, db, last);
      const { json } = await ended(runCli(["trace", "--rpc", node.url, "--db", db, ...night]));
      expect(json()).toMatchObject({ exact: (json()["changes"] as unknown[]).length });

      const expected = changesOf(history).filter(({ version }) => version > first);
      const traced = found(db);
      const named = new Set(traced.map(asText));
      const missing = expected.filter((change) => !named.has(asText(change)));
      const values = (id: string): (string | null)[] => expected.filter((change) => change.id === id).map(({ to }) => to);
      for (const { id } of missing) {
        const before = expected.find((change) => change.id === id)?.from as string | null;
        expect(new Set([before, ...values(id)]).size, id).toBeLessThan(values(id).length + 1);
      }
      const real = new Set(expected.map(asText));
      const wrong = traced.filter((change) => !real.has(asText(change)));
      expect(wrong.filter(({ exact }) => exact === 1n)).toEqual([]);
    });
  },
);
