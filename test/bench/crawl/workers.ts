import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { manyAccounts, startSimNode } from "../../../sim/index.ts";
import { removeCopies } from "../../support/postgres/binaries.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { describeMachine, launcher, measureProcess } from "../process-cost.ts";
import { benchServer } from "../server-cost.ts";

/**
 * A first crawl of one process and of several that share it on PostgreSQL 18, where the node is the limit: each process has its `--rate`.
 *
 *     npx node test/bench/crawl/workers.ts [--accounts 1200] [--rate 25] [--workers 1,4,12]
 */
const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1200" },
    rate: { type: "string", default: "25" },
    workers: { type: "string", default: "1,4,12" },
  },
});
using directory = temporaryDirectory();
const server = await benchServer({ fsync: "on" });
const many = manyAccounts(Number(values.accounts));
const targets = directory.file("targets.txt");
writeFileSync(targets, [...many.addresses()].join("\n"));
await using node = await startSimNode({ ledger: many.ledger, log: false });
const lines: string[] = [];
let alone: number | undefined;
for (const count of values.workers.split(",").map(Number)) {
  const db = `postgres://postgres@127.0.0.1:${server.port}/postgres?schema=of_${count}`;
  const sync = ["sync", "--rpc", node.url, "--rate", values.rate, "--db", db, "--targets", targets];
  // Makes the schema, so that nobody waits for it.
  await measureProcess(launcher, "targets", "add", "0x1", "--db", db);
  const before = performance.now();
  await Promise.all(Array.from({ length: count }, () => measureProcess(launcher, ...sync)));
  const seconds = (performance.now() - before) / 1000;
  alone ??= seconds;
  lines.push(`| ${count} | ${seconds.toFixed(1)} | ${(alone / seconds).toFixed(2)} |`);
}
process.stdout.write(
  [
    `${describeMachine()}; ${values.accounts} accounts × 3 modules, ${values.rate} requests a second for each process.`,
    "",
    "| processes | s | × one |",
    "|---|---|---|",
    ...lines,
    "",
  ].join("\n"),
);
await server.remove();
removeCopies();
