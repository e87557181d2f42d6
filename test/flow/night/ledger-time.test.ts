import { expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { test } from "../../support/test.ts";

type Json = Record<string, unknown>;

test("a night, an older version and a change are dated by the ledger's clock", async ({ place }) => {
  const db = place.file("night.db");
  const sample = createSampleLedger();
  const { ledger } = sample;
  const older = ledger.head;
  await using node = await startSimNode({ ledger });
  const sync = ["sync", "--rpc", node.url, "--db", db, "--rate", "0", ...sample.codeAccounts.flatMap((address) => ["-a", address])];
  const ask = async (command: readonly string[]): Promise<string> => (await runCli([...command, "--json", "--db", db])).stdout;
  const timeOf = (version: bigint): string => new Date(Number(ledger.info(ledger.head - version).timestampUsec / 1000n)).toISOString();

  sample.passDay();
  const newer = ledger.head;
  // Nothing bounds a version far below the first head that was ever heard.
  await ended(runCli([...sync, "--ledger-version", `${older}`]));
  expect(JSON.parse(await ask(["snapshots"]))).toMatchObject([{ ledger_time: null, ledger_time_error_ms: null }]);

  await ended(runCli(sync));
  const exact = { ledger_time: timeOf(newer), ledger_time_error_ms: 0 };
  const snapshots = JSON.parse(await ask(["snapshots"]));
  expect(snapshots).toMatchObject([
    { ledger_version: `${newer}`, ...exact },
    { ledger_version: `${older}`, ledger_time: null },
  ]);
  expect(JSON.parse(await ask(["runs"]))).toMatchObject([
    exact,
    { ledger_version: `${older}`, ledger_time: null, ledger_time_error_ms: null },
  ]);
  expect((JSON.parse(await ask(["status"])) as Json)["newest_snapshot"]).toMatchObject(exact);

  const report = JSON.parse(await ask(["report"])) as { lists: Record<string, Json[]> };
  expect(report.lists["snapshots"]).toMatchObject([exact]);
  // When the state before was made is not known, so neither is how far back the change may lie.
  expect(report.lists["modules_added"]).toMatchObject([{ ledger_time: timeOf(newer), ledger_time_error_ms: null }]);
  expect(await ask(["query", "SELECT count(*) AS n FROM module_changes WHERE ledger_time IS NULL"])).toContain('"n":0');
});
