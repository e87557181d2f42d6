import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { manyAccounts, startSimNode } from "../../../sim/index.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { launcher, measureProcess, packedLauncher } from "../process-cost.ts";

/**
 * The most memory that a night takes, as the kernel counts it (VmHWM), for growing numbers of accounts: a first crawl and a
 * night without change. With `--packed` the program is what users have: JavaScript. Without, Node strips the types of its
 * sources in each thread first, and keeps both.
 *
 *     npx node test/bench/crawl/memory.ts [--packed] [ACCOUNTS[:WITH-CODE]…]
 */
const { values, positionals } = parseArgs({ options: { packed: { type: "boolean", default: false } }, allowPositionals: true });
const sizes = positionals.length > 0 ? positionals : ["2000", "20000"];
using folder = temporaryDirectory();
const program = values.packed ? packedLauncher(folder.path) : launcher;

for (const size of sizes) {
  const [count = 0, holders = count] = size.split(":").map(Number);
  const many = manyAccounts(count, { holders });
  await using node = await startSimNode({ ledger: many.ledger, log: false });
  using place = temporaryDirectory();
  const targets = place.file("targets.txt");
  writeFileSync(targets, [...many.addresses()].join("\n"));
  await measureProcess(program, "targets", "import", targets, "--db", place.file("night.db"));
  for (const night of ["first crawl", "night without change"]) {
    const { peakMb, ms } = await measureProcess(
      program,
      "sync",
      "--rpc",
      node.url,
      "--rate",
      "0",
      "--concurrency",
      "16",
      "--db",
      place.file("night.db"),
    );
    process.stdout.write(
      `${count} accounts, ${holders} with code, ${night}: ${Math.round(peakMb)} MB at most, ${(ms / 1000).toFixed(1)} s\n`,
    );
    many.ledger.advance(100n);
  }
}
