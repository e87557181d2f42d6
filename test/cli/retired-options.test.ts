import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { ended, ManualClock, runCli, test, valuesOf } from "../support/index.ts";

test("the JSON Schema of a command is the file of the package", async () => {
  const { stdout } = await runCli(["schema", "targets list", "--format", "json-schema"]);
  expect(stdout).toBe(readFileSync(new URL("../../schemas/targets-list.json", import.meta.url), "utf8"));
  const none = await runCli(["schema", "--format", "json-schema"]);
  expect([none.code, none.stderr]).toEqual([64, expect.stringContaining("needs a command")]);
});

test.for([
  ["", ""],
  ["[sim]", "sim."],
])("tables, formats and keys that went cost no night, and are no section: %s", async ([head, section], { place }) => {
  const config = place.file("settings.toml");
  const tables = `[${section}site]\nbase-url = "https://x.example/"\n[${section}check]\nformat = "junit"\n[${section}open]\nno-browser = true\n`;
  writeFileSync(config, `${head}\nrpc = "http://127.0.0.1:9/v1"\ndb = "own.db"\n${tables}`);
  const { code, stdout, stderr } = await runCli(["night", "--dry-run", "--config", config]);
  const site = `movedex: ${config}, [${section}site]: the command \`site\` is gone: \`serve\` shows the same pages.\n`;
  const open = `movedex: ${config}, [${section}open]: the key \`no-browser\` is gone; the changelog says what to use.\n`;
  expect([code, stderr]).toEqual([0, site + open]);
  expect(stdout).toContain(`--db ${place.file("own.db")}`);
});

test("doctor says of a retired setting that it is gone", async ({ place }) => {
  const config = place.file("settings.toml");
  writeFileSync(config, 'rpc = "http://127.0.0.1:9/v1"\ndb = "own.db"\nkeep-daily = 7\n[sync]\nunless-within = "1h"\n');
  const { stdout } = await runCli(["doctor", "--config", config], { clock: new ManualClock({ skipSleeps: true }) });
  expect(stdout).toContain("set   keep-daily  7: the option is gone; no backup is deleted while it is given");
  expect(stdout).toContain("set   sync.unless-within 1h: the option is gone; on PostgreSQL");
});

test("options of steps that went are named, and the night is sealed", async ({ place }) => {
  await using node = await startSimNode({ ledger: createSampleLedger().ledger });
  const [config, db] = [place.file("settings.toml"), place.file("night.db")];
  writeFileSync(
    config,
    `rpc = "${node.url}"\ndb = "night.db"\nrate = 0\nhalf-life = "3d"\n[sync]\ncross-check = 5\n[backfill]\narchive = "auto"\narchive-rate = 2\n`,
  );
  const clock = new ManualClock({ startMs: Date.now(), skipSleeps: true });
  const { stderr } = await ended(runCli(["night", "--config", config, "--backfill", "100000"], { clock }));
  expect(stderr).toContain("movedex: the option --cross-check is gone: `verify --against URL` compares");
  expect(stderr).toContain("movedex: the option --half-life is gone: a change found two days later counts half as much.\n");
  expect(stderr).toContain("movedex: the option --archive is gone: `--rpc` names another node that still has the versions.\n");
  expect(valuesOf(db, "SELECT DISTINCT status FROM snapshots")).toEqual(["sealed"]);
});
