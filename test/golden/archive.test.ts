import { runCli } from "../support/run-cli.ts";
import { type GoldenCase, goldenOutputs, useGoldenPlace } from "./support/golden.ts";
import { makeManyChanges } from "./support/wide-archive.ts";

// What commands print of an archive as a whole: what it holds and lacks, what changed, and what SQL is asked.

useGoldenPlace({ withWide: true });

const makeEmpty = async (): Promise<void> => {
  await runCli(["targets", "add", "0x1", "--db", "empty.db"]);
};

goldenOutputs("status", [
  ["status.txt", "status"],
  ["status.json", "status --json"],
  ["empty.txt", "status --db empty.db", { prepare: makeEmpty }],
  ["missing.txt", "status --db none.db"],
  ["missing.json", "status --db none.db --json", { code: 1 }],
]);

goldenOutputs("snapshots", [
  ["snapshots.txt", "snapshots"],
  ["limit.txt", "snapshots --limit 2"],
  ["empty.txt", "snapshots --db empty.db", { prepare: makeEmpty }],
  ["snapshots.json", "snapshots --json"],
  ["snapshots.jsonl", "snapshots --jsonl"],
]);

goldenOutputs("runs", [
  ["runs.txt", "runs"],
  ["empty.txt", "runs --db empty.db", { prepare: makeEmpty }],
  ["runs.json", "runs --json"],
  ["runs.jsonl", "runs --jsonl --limit 2"],
]);

goldenOutputs("gaps", [
  ["gaps.txt", "gaps"],
  ["parked.txt", "gaps --retry-gaps 2"],
  ["none.txt", "gaps --ledger-version 6912000"],
  ["unknown-version.txt", "gaps --ledger-version 5"],
  ["empty.txt", "gaps --db empty.db", { prepare: makeEmpty }],
  ["gaps.json", "gaps --json"],
]);

goldenOutputs("report", [
  ["week.txt", "report --since 2592000 --format text"],
  ["week.md", "report --since 2592000"],
  ["week.html", "report --since 2592000 --format html --base-url https://archive.example/x"],
  ["week.json", "report --since 2592000 --json"],
  ["last.txt", "report --last --format text"],
  ["first-reading.txt", "report --since 0 --format text --limit 2"],
  ["wide.txt", "report --db wide.db --limit 3 --format text"],
  ["wide.md", "report --db wide.db --limit 3"],
  ["wide.html", "report --db wide.db --limit 3 --format html"],
  ["cut.txt", "report --db many.db --format text", { prepare: () => makeManyChanges("many.db") }],
]);

const functions = "SELECT module, name, is_view, signature FROM functions_latest WHERE module = 'coin' ORDER BY name";
const values = "SELECT 1 AS one, 9007199254740993 AS large, 1.5 AS half, NULL AS absent, x'00ff' AS bytes, 'a,\"b' AS text";

const queries: readonly GoldenCase[] = [
  ["functions.txt", `query "${functions}"`],
  ["cut.txt", `query --max-rows 1 "${functions}"`],
  ["functions.json", `query --json "${functions}"`],
  ["functions.jsonl", `query --format jsonl "${functions}"`],
  ["functions.csv", `query --format csv "${functions}"`],
  ["values.txt", "query -", { stdin: values }],
  ["values.json", "query - --json", { stdin: values }],
  ["values.csv", "query - --format csv", { stdin: values }],
  ["no-rows.txt", 'query "SELECT name FROM functions_latest WHERE name = :name" -p name=nothing'],
  ["backfill.txt", 'query "SELECT ledger_version, state, reason FROM backfill ORDER BY 1"'],
  ["gaps.txt", 'query "SELECT ledger_version, address, reason, attempts FROM gaps ORDER BY 1, 2"'],
  ["cookbook.txt", "query --cookbook who-uses-struct -p address=0x1 -p module=coin -p struct=Coin"],
  ["unknown-column.txt", 'query "SELECT modul FROM functions_latest"'],
  ["unknown-view.txt", 'query "SELECT * FROM function_latest"'],
  ["unknown-view.json", 'query --json "SELECT * FROM function_latest"', { code: 1 }],
  ["writing.txt", 'query "DELETE FROM functions_latest"'],
];
const recipes: readonly GoldenCase[] = [
  ["words-for-versions.csv", "query --cookbook functions-gone -p from=oldest -p to=latest --format csv"],
  ["version-in-hex.txt", "query --cookbook functions-gone -p from=0x278d00 -p to=0x34bc04"],
  ["from-no-snapshot.txt", "query --cookbook functions-gone -p from=5 -p to=6912000"],
  ["to-no-snapshot.txt", "query --cookbook functions-gone -p from=2592000 -p to=3000000"],
  ["no-such-struct.txt", "query --cookbook who-uses-struct -p address=0x1 -p module=coin -p struct=Coinn"],
  ["no-such-module.txt", "query --cookbook transitive-dependents -p address=0x1 -p module=coinn"],
  ["no-such-function.txt", "query --cookbook who-calls-function -p address=0x1 -p module=coin -p function=transferr"],
  ["account-never-read.txt", "query --cookbook entry-functions -p address=0x77"],
  ["module-never-read.txt", "query --cookbook transitive-dependents -p address=0x77 -p module=unread"],
  ["address-in-full.txt", `query --cookbook entry-functions -p address=0x${"1".padStart(64, "0")}`],
  ["no-such-recipe.txt", "query --cookbook who-uses"],
  ["value-too-many.txt", "query --cookbook events -p a=1"],
  ["recipe-gone.txt", "query --cookbook enums"],
  ["name-of-a-method.txt", "query --cookbook constructor"],
  ["value-missing.txt", "query --cookbook entry-functions"],
  ["no-address.txt", "query --cookbook entry-functions -p address=coin"],
  ["no-number.txt", "query --cookbook functions-gone -p from=-1 -p to=2"],
  ["recipe-and-statement.txt", 'query --cookbook events "SELECT 1"'],
  ["nothing-asked.txt", "query"],
];

// A query has a time limit.
const still = (cases: readonly GoldenCase[]): GoldenCase[] =>
  cases.map(([file, line, options]) => [file, line, { ...options, isStill: true }]);
goldenOutputs("query", still(queries));
goldenOutputs("query-recipes", still(recipes));

goldenOutputs("cookbook", [
  ["list.txt", "cookbook"],
  ["one.txt", "cookbook who-uses-struct"],
  ["unknown.txt", "cookbook who-uses-strct"],
  ["list.json", "cookbook --json"],
  ["one.jsonl", "cookbook who-uses-struct --jsonl"],
  ["one.json", "cookbook who-uses-struct --json"],
]);

goldenOutputs("schema", [
  ["list.txt", "schema"],
  ["tables.txt", "schema --tables"],
  ["view.txt", "schema functions_at"],
  ["table.txt", "schema _bytecodes --tables"],
  ["unknown.txt", "schema function_at"],
  ["list.json", "schema --format json"],
  ["view.json", "schema functions_at --format json"],
  ["view.jsonl", "schema functions_at --format jsonl"],
  ["view.md", "schema functions_at --format markdown"],
  ["views.yml", "schema --format dbt"],
  ["datasette.json", "schema night --format datasette"],
  ["snapshots.schema.json", "schema snapshots --format json-schema"],
]);
