import { createSampleLedger, startSimNode } from "../../../../sim/index.ts";
import { statusQueries } from "../../../../src/core/db/archive/read/status-queries.ts";
import { openStore } from "../../../../src/core/work/store.ts";
import { asWords } from "../../../support/command/as-words.ts";
import { copyKeptArchive } from "../../../support/store/kept-archive.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { hostileAccount, hostileLedger } from "./hostile-ledger.ts";

/** Two nights of the hostile ledger. */
export async function hostileArchive(db: string): Promise<void> {
  const { ledger, passDay } = hostileLedger();
  await using node = await startSimNode({ ledger });
  await crawl(db, node.url, [hostileAccount, "0xdead"]);
  passDay();
  await crawl(db, node.url, [hostileAccount, "0xdead"]);
}

const module = `/module/${hostileAccount}/${"n".repeat(255)}`;

/** A page of each kind, over the hostile archive. */
export const hostilePaths: readonly string[] = asWords`
  / /changes /coverage /account/${hostileAccount} /account/0xdead ${module}?all=1 /module/${hostileAccount}/opaque
  /diff/${hostileAccount}/plain?code=1 /search?q=script /sql?recipe=never-upgraded
  /sql?sql=${encodeURIComponent("SELECT code, name, description FROM error_codes_latest")} /module/0x1/none
`;

/** An archive of two nights of the sample ledger: its accounts, the one with a pool, and its two versions. */
export type SampleArchive = {
  readonly db: string;
  readonly accounts: readonly string[];
  readonly exchange: string;
  readonly first: bigint;
  readonly last: bigint;
};

/** Two nights of the sample ledger. */
export async function sampleArchive(db: string): Promise<SampleArchive> {
  const sample = createSampleLedger();
  const accounts = [...sample.codeAccounts, sample.trader];
  const makeArchive = async (path: string) => {
    await using node = await startSimNode({ ledger: sample.ledger });
    await crawl(path, node.url, accounts);
    sample.passDay();
    await crawl(path, node.url, accounts);
  };
  await copyKeptArchive(db, makeArchive, "explorer-sample.db");
  const store = await openStore(db, { mode: "read" });
  const [last, first] = (await statusQueries(store.engine).listSnapshots()).map(({ ledgerVersion }) => ledgerVersion) as [bigint, bigint];
  await store.close();
  return { db, accounts, exchange: sample.codeAccounts[2] as string, first, last };
}
