import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type History, replayHistory, type SimNode, startSimNode } from "../../../sim/index.ts";
import { sized } from "../../run-size.ts";
import { type CheckedView, expectedRows, type RecordedModule, sortedRows, viewQueries } from "../../support/expected-views.ts";
import { asWords, describeReleases, frameworkHistory, runCli, temporaryDirectory } from "../../support/index.ts";

describeReleases("the night over the real framework history", () => {
  let history: History;
  let node: SimNode;
  let recorded: Map<string, RecordedModule>;

  beforeAll(async () => {
    const path = frameworkHistory as string;
    history = replayHistory({ directory: path });
    node = await startSimNode({ ledger: history.ledger });
    const lines = readFileSync(join(path, "abi.jsonl"), "utf8").trimEnd().split("\n");
    recorded = new Map(lines.map((line) => JSON.parse(line) as RecordedModule).map((module) => [module.sha256, module]));
  });
  afterAll(() => node?.close());

  const ways = [
    { pageSize: 7, encoding: "bcs" },
    { pageSize: 1, encoding: "json" },
    { pageSize: 9999, encoding: "json" },
  ];
  const cases = sized(ways.slice(0, 1), ways);
  // Old, middle and new releases, sealed out of order.
  const picks = sized([133, 0], [133, 0, 66, 100]);

  test.each(cases)("pages of $pageSize in $encoding: every table holds what is expected of each module", async ({ pageSize, encoding }) => {
    using place = temporaryDirectory();
    const db = place.file("night.db");
    const picked = picks.map((index) => history.releases[index]).filter((release) => release !== undefined);
    for (const release of picked) {
      const args = asWords`sync --rpc ${node.url} --db ${db} --rate 0 --json --page-size ${pageSize} --encoding ${encoding}`;
      const { code, json, stderr } = await runCli([...args, "--ledger-version", `${release.version}`]);
      expect(stderr).toBe("");
      expect(code).toBe(0);
      expect(json()).toMatchObject({
        status: "sealed",
        ledger_version: `${release.version}`,
        modules: release.modules.size,
        gaps: 0,
        retries: 0,
      });
    }
    const database = new Database(db, { readonly: true });
    const queries = Object.entries(viewQueries).map(([view, sql]) => [view as CheckedView, database.prepare(sql).raw()] as const);
    for (const { version, modules } of picked) {
      const held = database
        .prepare("SELECT address || '::' || module, bytecode_sha256 FROM modules_at WHERE ledger_version = ?")
        .raw()
        .all(version);
      expect(new Map(held as [string, string][])).toEqual(modules);
      for (const [id, sha256] of modules) {
        const [address, name] = id.split("::");
        const expected = expectedRows(recorded.get(sha256) as RecordedModule);
        for (const [view, query] of queries) {
          const found = query.all(version, address, name) as (string | number | null)[][];
          // 0x1::option's enum is expected in its old struct form; see expectedRows.
          const isOption = id === "0x1::option" && ["structs_at", "fields_at", "variants_at"].includes(view);
          const comparable = isOption ? found.filter((row) => row[0] !== "Option") : found;
          expect(sortedRows(comparable), `${view} of ${id} at ${version}`).toEqual(sortedRows(expected[view]));
        }
      }
    }
    database.close();
  });
});
