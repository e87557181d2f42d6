import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createSampleLedger, faults, startSimNode } from "../../../sim/index.ts";
import { serveDatabase } from "../../serve/support/served-archive.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ofAccount } from "../../support/nights.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

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

describe("the alert rules and the dashboard", async () => {
  const place = temporaryDirectory();
  let metrics = "";

  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const clock = new ManualClock({ startMs: Date.now(), skipSleeps: true });
  const dayLater = async (): Promise<void> => {
    sample.ledger.advance(864_000n);
    await clock.advance(86_400_000);
  };
  const [db, file] = [place.file("night.db"), place.file("movedex.prom")];
  const run = async (...words: string[]): Promise<void> => {
    const { stderr } = await runCli([...words, "--db", db], { clock, env: { MOVEDEX_WEBHOOK_URL: "http://127.0.0.1:9/away" } });
    if (words[0] === "sync" || words[0] === "night") metrics += readFileSync(file, "utf8");
    else expect(stderr).not.toContain("movedex: option");
  };
  const source = ["--rpc", node.url, "--rate", "0", "--metrics-file", file];
  await run("targets", "add", ...sample.codeAccounts, sample.trader);
  for (const account of sample.codeAccounts) await run("watch", "add", account, "--level", "any");
  await run("sync", ...source, "--max-requests", "6");
  await run("night", ...source);
  sample.passDay();
  await dayLater();
  // A budget that chooses; alerts that nobody takes; an account that does not answer.
  await run("sync", ...source, "--max-requests", "12");
  await run("night", ...source);
  await dayLater();
  await using broken = await startSimNode({
    ledger: sample.ledger,
    faults: faults.planFaults([{ fault: faults.storageFailure("deserializing"), match: ofAccount(sample.trader) }]),
  });
  await run("sync", "--rpc", broken.url, ...source.slice(2));
  await using served = await serveDatabase(db);
  metrics += await (await fetch(new URL("/metrics", served.url))).text();

  test("name nothing that movedex does not print", () => {
    expect(alerts.length).toBeGreaterThan(7);
    const printed = namesIn(metrics);
    // A snapshot that a kill left, on a node whose pace is known, has this one.
    printed.add("movedex_unfinished_left_seconds");
    expect(readFileSync(new URL("../../../src/cli/jobs/metrics.ts", import.meta.url), "utf8")).toContain(
      '"movedex_unfinished_left_seconds"',
    );
    expect([...namesIn(rules), ...namesIn(dashboard)].filter((name) => !printed.has(name))).toEqual([]);
  });

  test("say what to look at: horizon, gaps, staleness, budget, telling", () => {
    for (const word of ["Horizon", "Gaps", "Stale", "Budget", "Told"]) expect(alerts.some(({ alert }) => alert.includes(word))).toBe(true);
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

  test.skipIf(!hasPromtool)("are rules that Prometheus takes, and that fire when they should (skipped without promtool)", () => {
    const check = spawnSync("promtool", ["check", "rules", example("prometheus-rules.yaml")], { encoding: "utf8" });
    expect(check.stdout + check.stderr).toContain(`SUCCESS: ${alerts.length} rules found`);
    writeFileSync(place.file("panels.yaml"), JSON.stringify({ groups: [{ name: "panels", rules: panelRules() }] }));
    expect(spawnSync("promtool", ["check", "rules", place.file("panels.yaml")]).status).toBe(0);
    writeFileSync(place.file("tests.yaml"), JSON.stringify(ruleTests(example("prometheus-rules.yaml"))));
    const tested = spawnSync("promtool", ["test", "rules", place.file("tests.yaml")], { encoding: "utf8" });
    expect(tested.stdout + tested.stderr).toMatch(/SUCCESS\s*$/);
  });

  test.skipIf(!hasPromtool)("read what movedex prints as Prometheus does (skipped without promtool)", () => {
    const [text = ""] = metrics.split(/(?=# HELP movedex_run_start)/).slice(-1);
    const checked = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
    expect(checked.stdout + checked.stderr).not.toMatch(/error/i);
  });
});

/** The expressions of the dashboard as rules, which promtool parses. */
function panelRules(): object[] {
  const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets).map(({ expr }, i) => ({ record: `panel:${i}`, expr }));
}

/** A night that is well raises nothing; one that is not raises what it should. Times count from 0, an hour a step. */
function ruleTests(file: string): object {
  const node = { labels: '{node="n"}' };
  const series = (values: Readonly<Record<string, number>>): object[] =>
    Object.entries(values).map(([name, value]) => ({
      series: name.startsWith("movedex_node") ? `${name}${node.labels}` : name,
      values: `${value}x80`,
    }));
  const silent = alerts.map(({ alert }) => ({ eval_time: "72h", alertname: alert, exp_alerts: [] }));
  const well = {
    movedex_last_good_sync_time_seconds: 70 * 3600,
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
      {
        interval: "1h",
        input_series: series({ ...well, movedex_greatest_age_seconds: 864_000, movedex_greatest_age_wanted_seconds: 432_000 }),
        promql_expr_test: [
          {
            expr: 'ALERTS{alertname="MovedexBudgetTooSmall"}',
            eval_time: "72h",
            exp_samples: [sample("MovedexBudgetTooSmall", "warning")],
          },
        ],
      },
      {
        interval: "1h",
        input_series: series({
          ...well,
          movedex_last_good_sync_time_seconds: 0,
          'movedex_run_success{command="night"}': 0,
          movedex_node_head_version: 1_100_000,
          movedex_newest_snapshot_gaps: 2,
          movedex_unfinished_left_seconds: 3600,
          movedex_bytecodes_undecoded: 3,
          'movedex_alerts_waiting{place="webhook"}': 4,
          movedex_serve_database_up: 0,
        }),
        promql_expr_test: [
          {
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: "72h",
            exp_samples: alerts
              .filter(({ alert }) => alert !== "MovedexBudgetTooSmall")
              .map(({ alert }) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
          },
        ],
      },
    ],
  };
}

function sample(alertname: string, severity: string): object {
  return { labels: `ALERTS{alertname="${alertname}",alertstate="firing",severity="${severity}"}`, value: 1 };
}
