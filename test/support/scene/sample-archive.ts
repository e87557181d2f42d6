import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { statusQueries } from "../../../src/core/db/archive/read/status-queries.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { ended } from "../command/command-lines.ts";
import { ManualClock } from "../manual-clock.ts";
import { runCli } from "../run-cli.ts";
import { copyKeptArchive } from "../store/kept-archive.ts";

/** An archive of two nights of the sample ledger: its accounts, the one with a pool, and its two versions. */
export type SampleArchive = {
  readonly db: string;
  readonly accounts: readonly string[];
  readonly exchange: string;
  readonly first: bigint;
  readonly last: bigint;
};

/** Two nights of the sample ledger, read once for all tests of a run. */
export async function sampleArchive(db: string): Promise<SampleArchive> {
  const { ledger, codeAccounts, trader, passDay } = createSampleLedger();
  const accounts = [...codeAccounts, trader];
  const takeNights = async (path: string) => {
    await using node = await startSimNode({ ledger });
    const what = ["--rpc", node.url, "--rate", "0", ...accounts.flatMap((address) => ["--account", address])];
    for (const pass of [() => undefined, passDay]) {
      pass();
      await ended(runCli(["sync", "--db", path, ...what], { clock: new ManualClock({ skipSleeps: true }) }));
    }
  };
  await copyKeptArchive(db, takeNights, "two-nights-of-the-sample.db");
  await using store = await openStore(db, { mode: "read" });
  const [last, first] = (await statusQueries(store.engine).listSnapshots()).map(({ ledgerVersion }) => ledgerVersion) as [bigint, bigint];
  return { db, accounts, exchange: codeAccounts[2] as string, first, last };
}
