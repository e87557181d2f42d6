import { statSync, writeFileSync } from "node:fs";
import { manyAccounts, replayHistory, type SimLedger, startSimNode } from "../../../sim/index.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine } from "../machine.ts";
import { launcher, measureProcess } from "../process-cost.ts";

/**
 * How long `verify` takes and how much memory, each a whole process: made-up accounts of three modules at two snapshots, and
 * the recorded releases, where they are beside the repository, at one snapshot each.
 *
 *     npx node test/bench/store/verify.ts [ACCOUNTS …]
 */
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1000, 10_000];

async function measure(name: string, ledger: SimLedger, versions: readonly bigint[], addresses: readonly string[]): Promise<void> {
  await using node = await startSimNode({ ledger, log: false });
  using place = temporaryDirectory();
  const db = place.file("bench.db");
  const targets = place.file("targets.csv");
  writeFileSync(targets, `${addresses.join("\n")}\n`);
  for (const version of versions) {
    const what = ["--rpc", node.url, "--db", db, "--targets", targets, "--ledger-version", `${version}`];
    await measureProcess(launcher, "sync", ...what, "--rate", "0", "--concurrency", "16", "--json");
  }
  const { ms, peakMb, stdout } = await measureProcess(launcher, "verify", "--db", db, "--json");
  const { checked } = JSON.parse(stdout) as { checked: Record<string, number> };
  const size = statSync(db).size / 1e6;
  const cells = [name, `${versions.length}`, `${checked["bytecodes"]}`, size.toFixed(1), (ms / 1000).toFixed(1), peakMb.toFixed(0)];
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

process.stdout.write(`${describeMachine()}\n\n| what | snapshots | bytecodes | MB | s | peak resident MB |\n|---|---|---|---|---|---|\n`);
for (const count of counts) {
  const many = manyAccounts(count, { packages: 6 });
  const first = many.ledger.head;
  many.upgradeEvery(4);
  await measure(`${count.toLocaleString("en-US")} accounts`, many.ledger, [first, many.ledger.head], [...many.addresses()]);
}
if (frameworkHistory !== undefined) {
  const { ledger, releases } = replayHistory({ directory: frameworkHistory });
  const versions = releases.map(({ version }) => version);
  await measure("the recorded releases", ledger, versions, ledger.addresses());
}
