// Decodes mutated real modules and counts what becomes of them. Anything but an ABI or a DecodeError ends the run.
//   npx node test/bench/move/mutations.ts [count] [seed]

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeModule } from "../../../src/abi/decode.ts";
import { DecodeError } from "../../../src/move/decode-error.ts";
import { mutate, seededRandom } from "../../support/mutate.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { describeMachine } from "../machine.ts";

if (frameworkHistory === undefined) throw new Error("the framework history is not beside this checkout");
const directory = join(frameworkHistory, "modules");
const modules = readdirSync(directory).map((file) => new Uint8Array(readFileSync(join(directory, file))));
const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? 1);
const random = seededRandom(seed);

const outcomes = new Map<string, number>();
let slowest = { ms: 0, bytes: new Uint8Array() as Uint8Array };
let decodingMs = 0;
let peakBytes = 0;

for (let i = 0; i < count; i++) {
  const mutant = mutate(modules[random(modules.length)] as Uint8Array, random);
  const started = performance.now();
  const outcome = decode(mutant);
  const ms = performance.now() - started;
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  decodingMs += ms;
  if (ms > slowest.ms) slowest = { ms, bytes: mutant };
  if (i % 1000 === 0) peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}

// The slowest one may have met a busy moment: its own time is the least of a few.
const again = Math.min(...Array.from({ length: 5 }, () => time(slowest.bytes)));
console.log(`${describeMachine()}; ${count} mutants, seed ${seed}`);
for (const [outcome, times] of [...outcomes].sort()) console.log(`  ${outcome}: ${times}`);
console.log(
  `  decoding ${(decodingMs / 1000).toFixed(1)} s, ${((decodingMs / count) * 1000).toFixed(0)} µs each, slowest ${slowest.ms.toFixed(1)} ms and again alone ${again.toFixed(2)} ms`,
);
console.log(`  resident memory at most ${(peakBytes / 1e6).toFixed(0)} MB`);

function time(bytes: Uint8Array): number {
  const started = performance.now();
  decode(bytes);
  return performance.now() - started;
}

function decode(bytes: Uint8Array): string {
  try {
    decodeModule(bytes);
    return "decoded";
  } catch (error) {
    if (error instanceof DecodeError) return error.code;
    throw new Error(`a foreign error, from ${Buffer.from(bytes).toString("hex")}`, { cause: error });
  }
}
