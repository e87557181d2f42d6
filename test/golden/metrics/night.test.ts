import { mkdirSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { type MonitoredRun, monitoredNights, REQUEST_MS } from "./support/monitored-nights.ts";
import { seriesIn } from "./support/series.ts";

/** The series of an archive, without the labels that tell it from others: every series has them. */
function ownSeries(text: string): ReadonlyMap<string, number> {
  for (const line of text.split("\n"))
    if (line !== "" && !line.startsWith("#")) expect(line).toMatch(/\{chain_id="4",archive="mainnet\/night\.db"[,}]/);
  return seriesIn(
    text.replaceAll('{chain_id="4",archive="mainnet/night.db"}', "").replaceAll('chain_id="4",archive="mainnet/night.db",', ""),
  );
}

/** The files of metrics of a few nights, with every value: what a dashboard shows a person, and what alerts are computed from. */
describe("the metrics of", async () => {
  const place = temporaryDirectory();
  afterAll(() => place[Symbol.dispose]());
  // Two archives are told apart by their folders.
  mkdirSync(place.file("mainnet"));
  const { beginMs, endMs, runs } = await monitoredNights(place.file("mainnet"));

  describe.each(Object.entries(runs))("%s", (name, { text, startedMs, finishedMs, databaseBytes }: MonitoredRun) => {
    const values = ownSeries(text);
    const read = (wanted: string) => [...values].find(([series]) => series.split("{")[0] === wanted)?.[1];

    test("have the values that they had", async () => {
      // The file's size is that of all tables, so it is compared with the file.
      const size = `movedex_database_bytes{chain_id="4",archive="mainnet/night.db"} ${databaseBytes}\n`;
      expect(text).toContain(size);
      await expect(text.replace(size, "movedex_database_bytes <size of the file>\n")).toMatchFileSnapshot(`values/${name}.prom`);
    });

    // A golden file is easily renewed with what it should have refused. The clock cannot be.
    test("say moments and lengths in seconds of the clock", () => {
      expect(read("movedex_run_start_time_seconds")).toBe(startedMs / 1000);
      expect(read("movedex_run_end_time_seconds")).toBe(finishedMs / 1000);
      expect(read("movedex_run_duration_seconds")).toBe((finishedMs - startedMs) / 1000);
      const moments = [...values].filter(([series]) => series.includes("_time_seconds"));
      expect(moments.length).toBeGreaterThanOrEqual(5);
      for (const [series, value] of moments) {
        expect(value, series).toBeGreaterThanOrEqual(beginMs / 1000);
        expect(value, series).toBeLessThanOrEqual(endMs / 1000);
      }
    });

    test("name the unit of what has one", () => {
      const told = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, series = "", help = ""]) => ({ series, help }));
      for (const { series, help } of told) {
        expect(/^Unix time/.test(help), series).toBe(series.endsWith("_time_seconds"));
        if (/^How long|\bage\b/.test(help)) expect(series).toMatch(/_seconds$/);
        if (/^(Bytes|Size)/.test(help)) expect(series).toMatch(/_bytes$/);
      }
    });
  });

  test("a run that was neither made to wait nor asked anew takes as long as its requests", () => {
    for (const run of [runs.sync, runs.budget, runs.stopped, runs.gaps]) {
      expect(ownSeries(run.text).get("movedex_sync_requests")).toBe(run.requests);
      expect(run.finishedMs - run.startedMs).toBe(run.requests * REQUEST_MS);
    }
  });

  test("a budget says the age that was asked for, and one that does not suffice says a greater one", () => {
    const values = ownSeries(runs.budget.text);
    expect(values.get("movedex_greatest_age_wanted_seconds")).toBe(30 * 3600);
    expect(values.get("movedex_greatest_age_seconds")).toBeGreaterThan(30 * 3600);
  });

  test("an unfinished snapshot is readable for as long as the horizon needs to reach it", () => {
    const values = ownSeries(runs.stopped.text);
    const [left = 0, perSecond = 0] = [
      values.get("movedex_unfinished_left_seconds"),
      values.get('movedex_node_horizon_versions_per_second{node="node"}'),
    ];
    const above =
      (values.get('movedex_node_head_version{node="node"}') ?? 0) - (values.get('movedex_node_oldest_version{node="node"}') ?? 0);
    expect(left).toBeGreaterThan(0);
    // At worst it is sooner than at the average speed.
    expect(left).toBeLessThanOrEqual(above / perSecond);
    expect(left).toBeGreaterThan(above / perSecond / 10);
  });
});
