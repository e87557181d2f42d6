import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { manyAccounts, startSimNode } from "../../../sim/index.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine, launcher, measureProcess } from "../process-cost.ts";

// What a long list costs, few accounts of which have code: importing it, a first night, a quiet one, one that chooses a tenth of it.
// Then the bytes of each table.
// npx node test/bench/crawl/many-accounts.ts [--accounts 300000] [--holders 1000]
const options = { accounts: { type: "string", default: "300000" }, holders: { type: "string", default: "1000" } } as const;
const [accounts, holders] = Object.values(parseArgs({ options }).values).map(Number) as [number, number];
using directory = temporaryDirectory();
const [db, list] = [directory.file("many.db"), directory.file("targets.txt")];
const many = manyAccounts(accounts, { holders });
writeFileSync(list, [...many.addresses()].join("\n"));
await using node = await startSimNode({ ledger: many.ledger, log: false });
const sync = ["sync", "--rpc", node.url, "--rate", "0", "--concurrency", "16"];
console.log(`${describeMachine()}; ${accounts} accounts, ${holders} of them with 3 modules\n`);
const chosen = [...sync, "--max-requests", `${Math.ceil(accounts / 5)}`];
for (const command of [["targets", "import", list], sync, sync, chosen]) {
  const { ms, cpuMs, peakMb } = await measureProcess(launcher, ...command, "--db", db);
  console.log(`${command.join(" ")}: ${(ms / 1000).toFixed(1)} s, ${(cpuMs / 1000).toFixed(1)} s of CPU, peak ${peakMb.toFixed(0)} MB`);
  many.ledger.advance(1000n);
}
const sizes = new Database(db, { readonly: true }).prepare<[], { name: string; bytes: number }>(
  "SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name HAVING bytes > 500000 ORDER BY bytes DESC",
);
for (const { name, bytes } of sizes.all())
  console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB, ${(bytes / accounts).toFixed(1)} an account`);
