import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { removeCopies } from "../../support/postgres/binaries.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { addressOf } from "../distinct-accounts.ts";
import { describeMachine } from "../machine.ts";
import { launcher, packedLauncher, runProcess } from "../process-cost.ts";
import { benchServer } from "../server-cost.ts";

/**
 * The most memory that `targets import` and `targets list` take, as the kernel counts it (VmHWM), for growing lists: whole processes.
 *
 *     npx node test/bench/exchange/target-lists.ts [--packed] [--postgres] [ACCOUNTS…]
 */
const { values, positionals } = parseArgs({
  options: { packed: { type: "boolean", default: false }, postgres: { type: "boolean", default: false } },
  allowPositionals: true,
});
const sizes = (positionals.length > 0 ? positionals : ["100000", "1000000"]).map(Number);
using place = temporaryDirectory();
const program = values.packed ? packedLauncher(place.path) : launcher;
const server = values.postgres ? await benchServer() : undefined;

try {
  process.stdout.write(`${describeMachine()}, ${server === undefined ? "SQLite" : "PostgreSQL 18"}\n\n`);
  process.stdout.write("| targets | command | peak MB | s | CPU s |\n|---|---|---|---|---|\n");
  for (const size of sizes) {
    const name = `targets_${size}`;
    const db = server === undefined ? place.file(`${name}.db`) : `postgres://postgres@127.0.0.1:${server.port}/postgres?schema=${name}`;
    const csv = place.file(`${name}.csv`);
    writeList(csv, size);
    await measure(size, "import", csv, "--db", db);
    await measure(size, "import", csv, "--db", db);
    await measure(size, "list", "--db", db);
    await measure(size, "list", "--jsonl", "--db", db);
    rmSync(csv);
  }
} finally {
  await server?.remove();
  removeCopies();
}

function writeList(path: string, size: number): void {
  const file = openSync(path, "w");
  writeSync(file, "address,label\n");
  for (let n = 0; n < size; n++) writeSync(file, `${addressOf(n)},account ${n}\n`);
  closeSync(file);
}

async function measure(size: number, command: string, ...args: readonly string[]): Promise<void> {
  const { code, peakMb, ms, cpuMs } = await runProcess([program, "targets", command, ...args], { isQuiet: true, isDrained: true });
  if (code !== 0) throw new Error(`targets ${command} ended with ${code}`);
  const options = args.filter((arg) => arg.startsWith("--") && arg !== "--db");
  const cells = [size.toLocaleString("en"), ["targets", command, ...options].join(" "), peakMb.toFixed(0)];
  process.stdout.write(`| ${[...cells, (ms / 1000).toFixed(1), (cpuMs / 1000).toFixed(1)].join(" | ")} |\n`);
}
