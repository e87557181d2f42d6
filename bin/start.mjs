import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { compileCacheFolder } from "./compile-cache.mjs";

// What only prints help needs no room for a night's work.
const args = process.argv.slice(2);
if (args.length > 0 && !args.some((arg) => ["--help", "-h", "help", "--version", "-V"].includes(arg))) {
  const { collectOldGeneration, growYoungGeneration } = await import("./heap.mjs");
  // An export makes millions of short-lived texts and holds few: 7 % less CPU in the memory that it has (test/bench/results.md).
  if (args[0] === "export") growYoungGeneration(16);
  else {
    growYoungGeneration();
    const isNight = args[0] === "sync" || args[0] === "night";
    // A night keeps little of what it reads, until it stores bytecode: then it collects as soon as the others.
    collectOldGeneration(isNight ? 120 : 60);
    // Nothing in a night runs often enough to be worth V8's slowest compiler, and little of its young generation lives on: a second thread
    // to collect it costs more than it takes over (test/bench/results.md).
    if (isNight) {
      setFlagsFromString("--no-turbofan --no-parallel-scavenge");
      sayWhatStops();
    }
  }
}
const cache = compileCacheFolder();
if (cache !== undefined) enableCompileCache(cache);
// A checkout has src/ (run the TypeScript directly); a published package has only dist/.
const source = new URL("../src/main.ts", import.meta.url);
const { main } = await import(existsSync(source) ? source.href : new URL("../dist/main.js", import.meta.url).href);
process.exitCode = await main(args);
// What a signal ended has said so. Work that it left behind, such as a backup, is not waited for.
if (process.exitCode === 130 || process.exitCode === 143) process.exit();

/** A signal while the program loads would end a night without a word. Once the night listens itself, it says more. */
function sayWhatStops() {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return;
      process.stderr.write(`movedex: stopped by ${signal}.\n`);
      process.exit(code);
    });
}
