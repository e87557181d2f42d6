import { expect, test } from "vitest";
import { faults, manyAccounts, type SimLedger, startSimNode } from "../../../sim/index.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { ended } from "../../support/command/ended.ts";
import { jsonLines } from "../../support/command/json-lines.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { listsOf } from "../../support/store/ask-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const COUNT = 4;
const HEAD = 64_000n;
const HORIZON = 48_000n;
const UPGRADES = [20_500n, 30_500n, 57_500n];
const NOW_MS = 1_767_225_600_000 + 800_000;
const loopback = { MOVEDEX_TEST_LOOPBACK_ARCHIVE: "1", MOVEDEX_API_KEY: "secret-key" };

/** Four accounts, of which one upgrades a module three times, twice below the horizon; with another `prefix` to other code. */
function scene(chainId = 4, prefix = "f"): { readonly ledger: SimLedger; readonly addresses: readonly string[] } {
  const many = manyAccounts(COUNT, { packages: 4, ledger: { chainId } });
  const address = many.address(0);
  for (const version of UPGRADES) {
    many.ledger.advanceTo(version - 1n);
    const functions = [{ name: `${prefix}${version}`, visibility: "public" as const }];
    many.ledger.transact((writer) => writer.publish(address, "aaa", writeModule({ address, name: "aaa", functions })));
  }
  many.ledger.advanceTo(HEAD);
  return { ledger: many.ledger, addresses: [...many.addresses()] };
}

/** A database with snapshots from before the upgrades and after them, and a node that has pruned the first two meanwhile. */
async function startTraced(archiveUrl: string) {
  const place = temporaryDirectory();
  const db = place.file("a.db");
  const { ledger, addresses } = scene();
  const node = await startSimNode({ ledger, faults: faults.planFaults([{ fault: faults.archiveHint(archiveUrl) }]) });
  const run = (...words: string[]) =>
    runCli([...words, "--rpc", node.url, "--db", db, "--rate", "0", "--json"], {
      clock: new ManualClock({ skipSleeps: true, startMs: NOW_MS }),
      env: loopback,
    });
  const accounts = addresses.flatMap((address) => ["--account", address]);
  for (const version of [15_000n, HEAD]) await ended(run("sync", ...accounts, "--ledger-version", `${version}`));
  ledger.pruneTo(HORIZON);
  const rows = (sql: string): unknown[] => listsOf(db, sql);
  const close = async () => {
    await node.close();
    place[Symbol.dispose]();
  };
  return { node, run, rows, trace: (...words: string[]) => run("trace", ...words), [Symbol.asyncDispose]: close };
}

const CHANGES = "SELECT DISTINCT at_or_before_version, is_exact FROM module_changes ORDER BY 1";

test("what the node has pruned is traced at its archive, which is slow, and each probe keeps where it came from", async () => {
  await using archive = await startSimNode({ ledger: scene().ledger, faults: faults.planFaults([{ fault: faults.late(40), every: 5 }]) });
  await using at = await startTraced(archive.url);
  const alone = await ended(at.trace());
  expect(alone.json()).toMatchObject({ inexact: 1 });
  expect(archive.requestCount).toBe(0);
  const { stdout } = await ended(at.trace("--archive", "auto"));
  const [own, other] = jsonLines(stdout);
  expect(own).toMatchObject({ inexact: 1 });
  expect(other).toMatchObject({ archive: archive.url, inexact: 0 });
  expect(at.rows(CHANGES)).toEqual(UPGRADES.map((version) => [Number(version), 1]));
  expect(at.rows(`SELECT DISTINCT source, ledger_version >= ${HORIZON} FROM _module_probes ORDER BY 2`)).toEqual([
    [archive.url, 0],
    [null, 1],
  ]);
  expect(archive.requests.length).toBeGreaterThan(0);
});

test.each([
  ["another chain id", 5, "f"],
  ["the same chain id and another history", 4, "g"],
])("an archive of %s is refused with exit code 4, and nothing of it is stored", async (_, chainId, prefix) => {
  await using archive = await startSimNode({ ledger: scene(chainId, prefix).ledger });
  await using at = await startTraced(archive.url);
  await ended(at.trace("--archive", "auto"), 4);
  expect(at.rows("SELECT count(*) FROM _module_probes WHERE source IS NOT NULL")).toEqual([[0]]);
  expect(at.rows("SELECT count(*) FROM module_changes WHERE is_exact = 0")).toEqual([[1]]);
});

test("an archive inside the machine is not asked, whoever names it", async () => {
  await using archive = await startSimNode({ ledger: scene().ledger });
  await using at = await startTraced("https://127.0.0.1/v1");
  const { code, stderr } = await at.trace("--archive", "auto");
  expect([code, stderr]).toEqual([64, expect.stringMatching(/private network/)]);
  expect(archive.requestCount).toBe(0);
});
