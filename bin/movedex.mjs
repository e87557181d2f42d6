#!/usr/bin/env node
// Plain JavaScript that any Node since 12.20 can parse. It must import nothing statically but built-ins:
// better-sqlite3 13 does not fail cleanly on Node 20, it kills the process with SIGSEGV.
const MIN = [22, 19, 0];
const have = process.versions.node.split(".").map(Number);
let ok = true;
for (let i = 0; i < 3; i++) {
  if (have[i] !== MIN[i]) {
    ok = have[i] > MIN[i];
    break;
  }
}
if (!ok) {
  process.stderr.write(
    `movedex needs Node.js ${MIN.join(".")} or newer, and this is ${process.version} (${process.execPath}).\n` +
      "Inside a checkout run it as `npm run -s movedex -- <args>`: npm scripts use the Node 24 in node_modules/.bin.\n",
  );
  process.exit(1);
}
// What only prints help needs no room for a night's work.
const args = process.argv.slice(2);
if (args.length > 0 && !args.some((arg) => ["--help", "-h", "help", "--version", "-V"].includes(arg))) {
  const { collectOldGenerationSooner, growYoungGeneration } = await import("./heap.mjs");
  growYoungGeneration();
  collectOldGenerationSooner();
}
const { enableCompileCache } = await import("node:module");
const { compileCacheFolder } = await import("./compile-cache.mjs");
const cache = compileCacheFolder();
if (cache !== undefined) enableCompileCache(cache);
// A checkout has src/ (run the TypeScript directly); a published package has only dist/.
const { existsSync } = await import("node:fs");
const source = new URL("../src/main.ts", import.meta.url);
const { main } = await import(existsSync(source) ? source.href : new URL("../dist/main.js", import.meta.url).href);
process.exitCode = await main(args);
