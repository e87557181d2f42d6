import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { createSampleLedger } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { nodeOfFile } from "../../support/scene/node-of-file.ts";
import { changeFile } from "../../support/store/ask-file.ts";
import { test } from "../../support/test.ts";

/** What 0.1.0 had and this version's migration changed, in a file that this version made. */
const asBefore = [
  ...["node_pauses", "rate_grants", "leases", "workers", "batches", "traces", "trace_groups", "trace_changes"].map(
    (table) => `CREATE TABLE _${table} (id text PRIMARY KEY NOT NULL) STRICT`,
  ),
  "ALTER TABLE _visits DROP COLUMN claims",
  "ALTER TABLE _ledger_times DROP COLUMN checksum",
  "ALTER TABLE _account_spans ADD COLUMN checksum integer",
  "ALTER TABLE _listing_spans ADD COLUMN checksum integer",
  "ALTER TABLE _visits DROP COLUMN claimed_until",
  "CREATE TABLE _record_coverage AS SELECT address_id, from_version, to_version FROM _coverage WHERE reads_record",
  "ALTER TABLE _all_snapshots DROP COLUMN sealed_by",
  "ALTER TABLE _all_snapshots RENAME TO _pins",
  "ALTER TABLE _all_gaps RENAME TO _misses",
  "ALTER TABLE _all_findings RENAME TO _disagreements",
  "DROP INDEX all_gaps_by_address_id",
  "CREATE INDEX misses_by_address_id ON _misses (address_id)",
  "DROP INDEX all_findings_by_kind_subject_from_version_stored_found",
  "CREATE INDEX disagreements_by_kind_subject_from_version_stored_found ON _disagreements (kind)",
  // Today's views name the column; the migration drops them first.
  "PRAGMA legacy_alter_table = ON",
  "ALTER TABLE _coverage DROP COLUMN reads_record",
  "DELETE FROM __drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM __drizzle_migrations)",
];

describe("the first night after an upgrade", async () => {
  const sample = createSampleLedger();
  const node = await nodeOfFile({ ledger: sample.ledger });

  test("tells what is watched, and reports everything that no report had", async ({ place }) => {
    const [db, config] = [place.file("night.db"), place.file("settings.toml")];
    writeFileSync(config, `db = "night.db"\nrpc = "${node.url}"\nrate = 0\n[tell]\nalerts-file = "alerts.jsonl"\n`);
    const night = ["night", "--config", config, "--report", place.file("new.md"), "--json"];
    await ended(runCli(["targets", "add", ...sample.codeAccounts, "--db", db]));
    await ended(runCli(["watch", "add", ...sample.codeAccounts, "--db", db]));
    await ended(runCli(night));
    sample.passDay();
    // A run without a report: the next night's covers it.
    await ended(runCli(["sync", "--config", config]));
    sample.passDay();
    changeFile(db, ...asBefore);
    expect((await runCli(["status", "--db", db])).stderr).toContain("older tables (7 of 8 migrations)");
    const { json } = await ended(runCli(night));
    const steps = json()["steps"] as readonly { readonly name: string; readonly exit: string }[];
    expect(steps.map(({ name, exit }) => `${name} ${exit}`)).toContain("tell done");
    expect(readFileSync(place.file("alerts.jsonl"), "utf8").trim().split("\n").length).toBeGreaterThan(0);
    const [reported = ""] = /after ledger version \d+/.exec(readFileSync(place.file("new.md"), "utf8")) ?? [];
    const versions = (await ended(runCli(["snapshots", "--jsonl", "--db", db]))).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)["ledger_version"] as string);
    const oldest = versions.toSorted((one, other) => Number(BigInt(one) - BigInt(other)))[0];
    expect(reported).toBe(`after ledger version ${oldest}`);
  });
});
