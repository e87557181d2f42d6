import Database from "better-sqlite3";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { viewNames } from "../../src/schema/view-statements.ts";
import { runCli } from "../support/run-cli.ts";

/** Makes an archive that has rows in as many views as two nights of the sample ledger give, by the commands that people run. */
export async function makeArchive(db: string): Promise<void> {
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const run = async (...words: readonly string[]): Promise<void> => {
    const { code, stderr } = await runCli([...words, "--db", db]);
    if (code !== 0) throw new Error(`movedex ${words.join(" ")}: ${code}\n${stderr}`);
  };
  await run("targets", "add", ...sample.codeAccounts, sample.trader);
  await run("watch", "add", ...sample.codeAccounts);
  await run("sync", "--rpc", node.url, "--rate", "0");
  sample.passDay();
  await run("sync", "--rpc", node.url, "--rate", "0");
  await run("trace", "--rpc", node.url, "--rate", "0");
}

/** How many rows each view has, as movedex's own SQLite counts them. */
export function countsOf(db: string): ReadonlyMap<string, number> {
  const database = new Database(db, { readonly: true });
  try {
    return new Map(
      viewNames("sqlite").map((name) => [name, database.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get() as number]),
    );
  } finally {
    database.close();
  }
}
