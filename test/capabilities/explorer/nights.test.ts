import { describe, expect } from "vitest";
import { SimLedger, startSimNode } from "../../../sim/index.ts";
import { linksFrom } from "../../../src/capabilities/changes/pages/page-links.ts";
import { nightsStrip } from "../../../src/capabilities/explorer/home/nights.ts";
import type { SnapshotCounts } from "../../../src/core/db/archive/read/status-queries.ts";
import type { RunRecord } from "../../../src/core/work/runs/runs.ts";
import { copySampleArchive, NOW_MS } from "../../golden/support/sample-archive.ts";
import { ended, ManualClock, runCli, test } from "../../support/index.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { textOfHtml } from "./support/page-text.ts";
import { servePages } from "./support/served-pages.ts";

const DAY_MS = 86_400_000;
const BEGIN = Date.UTC(2026, 5, 1, 3);

const snapshot = (day: number, more: Partial<SnapshotCounts> = {}): SnapshotCounts => ({
  chainId: 4,
  ledgerVersion: BigInt(1000 * (day + 1)),
  status: "sealed",
  createdAt: BEGIN + day * DAY_MS,
  sealedAt: BEGIN + day * DAY_MS + 60_000,
  planned: 5,
  unreadRecords: 0,
  ledgerTime: null,
  ledgerTimeErrorMs: null,
  left: 0,
  requestsLeft: 0,
  accounts: 5,
  modules: 9,
  changedModules: 0,
  gaps: 0,
  digest: null,
  passedOver: null,
  ...more,
});

const run = (day: number, exit: string): RunRecord =>
  ({ id: day, command: "night", startedAt: BEGIN + day * DAY_MS, finishedAt: BEGIN + day * DAY_MS + 1000, exit }) as RunRecord;

const kindsOf = (text: string): (string | undefined)[] => [...text.matchAll(/<li class="(\w+)"/g)].map(([, kind]) => kind);

describe("nightsStrip", () => {
  test("shows each night with how it went, and the days on which nothing was run", () => {
    const snapshots = [snapshot(0), snapshot(1, { status: "sealed_with_gaps", gaps: 2 }), snapshot(5), snapshot(6, { status: "unsealed" })];
    const { text } = nightsStrip(snapshots, [run(1, "gaps"), run(2, "stale"), run(3, "lost"), run(5, "done")], linksFrom("/"));
    expect(kindsOf(text)).toEqual(["done", "gaps", "stale", "lost", "none", "done", "open"]);
    expect(text).toContain("2026-06-05: no run");
    expect(text).toContain("2 gaps");
    expect(text).toContain('href="./changes?night=6000"');
  });

  test("a stretch without any night does not push out those that were", () => {
    const { text } = nightsStrip([snapshot(0), snapshot(500)], [], linksFrom("/"));
    expect(kindsOf(text)).toHaveLength(60);
    expect(kindsOf(text).at(-1)).toBe("done");
  });

  test("snapshots made from files, which have no date, stand in the order of their versions", () => {
    const undated = [3, 1, 2].map((day) => snapshot(day, { createdAt: 0, sealedAt: 0 }));
    const { text } = nightsStrip(undated, [], linksFrom("/"));
    expect([...text.matchAll(/night=(\d+)/g)].map(([, version]) => version)).toEqual(["2000", "3000", "4000"]);
  });
});

test("the charts name the day on which the ledger made a version, and the version where nobody knows the day", async ({ place }) => {
  const db = place.file("archive.db");
  const ledger = new SimLedger({ chainId: 9 });
  ledger.genesis((writer) => writer.account("0x1", { sequenceNumber: 1n }));
  await using node = await startSimNode({ ledger });
  ledger.advanceTo(100n);
  await crawl(db, node.url, ["0x1"], { version: 50n });
  await crawl(db, node.url, ["0x1"], { version: 100n });
  await using served = await servePages(db);
  const [, first, last] = /<p class="ends[^>]*><span>(.*?)<\/span><span>(.*?)<\/span>/.exec((await served.get("/")).text) ?? [];
  expect(first).toBe("50");
  expect(last).toMatch(/^\d{4}-\d\d-\d\d$/);
});

test("an archive that lay for longer than its node keeps versions does not say what the node has yet", async ({ place }) => {
  await copySampleArchive(place.path);
  await using served = await servePages(place.file("night.db"), { clock: new ManualClock({ startMs: NOW_MS + 30 * DAY_MS }) });
  const { text } = await served.get("/");
  expect(textOfHtml(text)).toContain("By now the node has pruned all that it had when it was last asked");
  expect(textOfHtml(text)).not.toContain("are gone");
  expect(textOfHtml((await served.get("/going")).text)).toContain("Nothing, as far as it is known");
  const { stdout } = await ended(
    runCli(["status", "--db", place.file("night.db")], { clock: new ManualClock({ startMs: NOW_MS + 30 * DAY_MS }) }),
  );
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("so all of these are pruned by now");
});
