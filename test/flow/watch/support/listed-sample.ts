import type { SampleLedger } from "../../../../sim/index.ts";
import { copyKeptArchive, ended, quickArchive, runCli } from "../../../support/index.ts";

/** A database with the sample's accounts as targets, and a first night; made once for all tests. */
export async function listedSample(db: string, { codeAccounts, trader }: SampleLedger, rpc: string): Promise<void> {
  const makeArchive = async (path: string) => {
    await runCli(["targets", "add", ...codeAccounts, trader, "--db", await quickArchive(path)]);
    await ended(runCli(["sync", "--rpc", rpc, "--rate", "0", "--db", path]));
  };
  await copyKeptArchive(db, makeArchive, "listed-sample.db");
}
