import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { manyAccounts, startSimNode } from "../support/sim-ledger/index.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/**
 * The most memory that a night takes, as the kernel counts it (VmHWM), for growing numbers of accounts: a first crawl and a
 * night without change.
 *
 *     npx node test/bench/memory.ts [ACCOUNTS…]
 */
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [2_000, 20_000];
const launcher = fileURLToPath(new URL("../../bin/movedex.mjs", import.meta.url));

for (const count of sizes) {
  const many = manyAccounts(count);
  await using node = await startSimNode({ ledger: many.ledger, log: false });
  using place = temporaryDirectory();
  const targets = place.file("targets.txt");
  writeFileSync(targets, [...many.addresses()].join("\n"));
  await run("targets", "import", targets, "--db", place.file("night.db"));
  for (const night of ["first crawl", "night without change"]) {
    const { peakKb, seconds } = await run("sync", "--rpc", node.url, "--rate", "0", "--concurrency", "16", "--db", place.file("night.db"));
    process.stdout.write(`${count} accounts, ${night}: ${Math.round(peakKb / 1024)} MiB at most, ${seconds.toFixed(1)} s\n`);
    many.ledger.advance(100n);
  }
}

/** Runs a command line as its own process and watches its memory. */
async function run(...argv: string[]): Promise<{ peakKb: number; seconds: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, [launcher, ...argv], { stdio: ["ignore", "ignore", "inherit"] });
  let peakKb = 0;
  const watch = setInterval(() => {
    try {
      peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0));
    } catch {
      // It has just ended.
    }
  }, 50);
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(watch);
  if (code !== 0) throw new Error(`\`movedex ${argv[0]}\` ended with ${code}`);
  return { peakKb, seconds: (performance.now() - started) / 1000 };
}
