import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { frameworkHistory } from "../support/shared-data.ts";
import { manyAccounts, replayHistory, type SimLedger, startSimNode } from "../support/sim-ledger/index.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { describeMachine } from "./machine.ts";

/**
 * How long `verify` takes and how much memory, each a whole process: made-up accounts of three modules at two snapshots, and
 * the recorded releases, where they are beside the repository, at one snapshot each.
 *
 *     npx node test/bench/verify.ts [ACCOUNTS …]
 */
const movedex = fileURLToPath(new URL("../../bin/movedex.mjs", import.meta.url));
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1000, 10_000];

async function run(...args: string[]): Promise<{ readonly ms: number; readonly peakMb: number; readonly stdout: string }> {
  const begun = performance.now();
  const child = spawn(process.execPath, [movedex, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let peakMb = 0;
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1000);
    } catch {
      // Ended between two looks.
    }
  }, 20);
  const [code] = await once(child, "close");
  clearInterval(look);
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${stdout}`);
  return { ms: performance.now() - begun, peakMb, stdout };
}

async function measure(name: string, ledger: SimLedger, versions: readonly bigint[], addresses: readonly string[]): Promise<void> {
  await using node = await startSimNode({ ledger, log: false });
  using place = temporaryDirectory();
  const db = place.file("bench.db");
  const targets = place.file("targets.csv");
  writeFileSync(targets, `${addresses.join("\n")}\n`);
  for (const version of versions) {
    const what = ["--rpc", node.url, "--db", db, "--targets", targets, "--ledger-version", `${version}`];
    await run("sync", ...what, "--rate", "0", "--concurrency", "16", "--json");
  }
  const { ms, peakMb, stdout } = await run("verify", "--db", db, "--json");
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
