import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { seriesIn } from "../../golden/metrics/support/series.ts";
import { isLongRun } from "../../run-size.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const place = temporaryDirectory();
const example = (name: string): string => fileURLToPath(new URL(`../../../jobs/examples/${name}`, import.meta.url));
const rules = readFileSync(example("prometheus-rules.yaml"), "utf8");
const dashboard = readFileSync(example("grafana-dashboard.json"), "utf8");
const namesIn = (text: string): Set<string> => new Set(text.match(/\bmovedex_[a-z_]+/g));
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { severity: string };
  readonly annotations: Record<string, string>;
};
const alerts = (parse(rules) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);

/** What movedex prints, as test/golden/metrics holds it; where that says what stands in place of a number, a number. */
const values = fileURLToPath(new URL("../../golden/metrics/values/", import.meta.url));
const printed = readdirSync(values).map((name) => ({ name, text: readFileSync(values + name, "utf8").replace(/<.*>$/gm, "1") }));

describe("the alert rules and the dashboard", () => {
  test("name nothing that movedex does not print", () => {
    expect(alerts.length).toBeGreaterThan(7);
    const names = new Set(printed.flatMap(({ text }) => [...seriesIn(text).keys()].map((series) => series.replace(/\{.*/, ""))));
    const read = [...namesIn(rules), ...namesIn(dashboard)];
    expect(read.length).toBeGreaterThan(20);
    expect(read.filter((name) => !names.has(name))).toEqual([]);
  });

  test("say what to look at: horizon, gaps, losses, staleness, budget, telling", () => {
    for (const word of ["Horizon", "Gaps", "Lost", "Stale", "Budget", "Told"])
      expect(alerts.some(({ alert }) => alert.includes(word))).toBe(true);
    for (const { annotations, labels } of alerts)
      expect([Object.keys(annotations), labels.severity]).toEqual([
        ["summary", "description"],
        expect.stringMatching(/critical|warning|info/),
      ]);
    const { panels } = JSON.parse(dashboard) as {
      panels: { title: string; description: string; gridPos: { x: number; w: number }; targets: { expr: string }[] }[];
    };
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const { gridPos, targets, description } of panels)
      expect([gridPos.x + gridPos.w <= 24, targets.length > 0, description.endsWith(".")]).toEqual([true, true, true]);
  });

  test.skipIf(!hasPromtool || !isLongRun)(
    "are rules that Prometheus takes, and that fire when they should (skipped without promtool, and in the short run)",
    () => {
      const check = spawnSync("promtool", ["check", "rules", example("prometheus-rules.yaml")], { encoding: "utf8" });
      expect(check.stdout + check.stderr).toContain(`SUCCESS: ${alerts.length} rules found`);
      writeFileSync(place.file("panels.yaml"), JSON.stringify({ groups: [{ name: "panels", rules: panelRules() }] }));
      expect(spawnSync("promtool", ["check", "rules", place.file("panels.yaml")]).status).toBe(0);
      writeFileSync(place.file("tests.yaml"), JSON.stringify(ruleTests(example("prometheus-rules.yaml"))));
      const tested = spawnSync("promtool", ["test", "rules", place.file("tests.yaml")], { encoding: "utf8" });
      expect(tested.stdout + tested.stderr).toMatch(/SUCCESS\s*$/);
    },
  );

  // `serve` prints its own counters without a help text, which the linter wants and Prometheus does not.
  test.skipIf(!hasPromtool).each(printed.filter(({ name }) => name !== "serve.prom"))(
    "read what movedex prints as Prometheus does: $name (skipped without promtool)",
    ({ text }) => {
      const checked = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
      expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, "", ""]);
    },
  );
});

/** The expressions of the dashboard as rules, which promtool parses. */
function panelRules(): object[] {
  const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets).map(({ expr }, i) => ({ record: `panel:${i}`, expr }));
}

/** What is raised by a budget, and where no snapshot is known. */
const [BUDGET, NOTHING] = ["MovedexBudgetTooSmall", "MovedexNothingSealed"];
/** What is raised on the day after answers were lost. */
const LOST = "MovedexLost";
const pruned = 'movedex_gaps{reason="pruned"}';

/** A night that is well raises nothing; one that is not raises what it should. Times count from 0, an hour a step. */
function ruleTests(file: string): object {
  const node = { labels: '{node="n"}' };
  const series = (values: Readonly<Record<string, number | string>>): object[] =>
    Object.entries(values).map(([name, value]) => ({
      series: name.startsWith("movedex_node") ? `${name}${node.labels}` : name,
      values: typeof value === "string" ? value : `${value}x80`,
    }));
  const raisedBy = (values: Readonly<Record<string, number | string>>, raised: readonly string[]): object => {
    const samples = raised.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }));
    const firing = { expr: 'count by (alertname) (ALERTS{alertstate="firing"})', eval_time: "72h", exp_samples: samples };
    return { interval: "1h", input_series: series(values), promql_expr_test: [firing] };
  };
  const silent = alerts.map(({ alert }) => ({ eval_time: "72h", alertname: alert, exp_alerts: [] }));
  const well = {
    movedex_last_good_sync_time_seconds: 70 * 3600,
    movedex_newest_snapshot_sealed_time_seconds: 70 * 3600,
    movedex_snapshots_unfinished: 0,
    'movedex_run_success{command="night"}': 1,
    movedex_node_head_version: 2_000_000,
    movedex_node_oldest_version: 1_000_000,
    movedex_node_horizon_versions_per_second: 1,
    movedex_newest_snapshot_gaps: 0,
    movedex_newest_snapshot_accounts: 100,
    movedex_bytecodes_undecoded: 0,
    'movedex_alerts_waiting{place="webhook"}': 0,
    movedex_serve_database_up: 1,
  };
  return {
    rule_files: [file],
    evaluation_interval: "1h",
    tests: [
      { interval: "1h", input_series: series(well), alert_rule_test: silent },
      raisedBy({ ...well, movedex_greatest_age_seconds: 864_000, movedex_greatest_age_wanted_seconds: 432_000 }, [BUDGET]),
      raisedBy({ ...well, [pruned]: "3x80" }, []),
      raisedBy({ ...well, [pruned]: "3x60 4x20" }, [LOST]),
      raisedBy({ ...well, [pruned]: "_x60 4x20" }, [LOST]),
      raisedBy({ 'movedex_run_success{command="night"}': 0 }, ["MovedexNightFailed", NOTHING]),
      raisedBy(
        {
          ...well,
          movedex_last_good_sync_time_seconds: 0,
          movedex_newest_snapshot_sealed_time_seconds: 0,
          movedex_snapshots_unfinished: 1,
          'movedex_run_success{command="night"}': 0,
          movedex_node_head_version: 1_100_000,
          movedex_newest_snapshot_gaps: 2,
          movedex_unfinished_left_seconds: 3600,
          movedex_bytecodes_undecoded: 3,
          'movedex_alerts_waiting{place="webhook"}': 4,
          movedex_serve_database_up: 0,
        },
        alerts.map(({ alert }) => alert).filter((alert) => ![BUDGET, NOTHING, LOST].includes(alert)),
      ),
    ],
  };
}
