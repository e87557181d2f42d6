// Decoding real modules to the full ABI, beside two readers that are not ours.
//   npx node test/bench/move/decode.ts [rounds]

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { initSync, TransactionComposer, wasmModule } from "@aptos-labs/script-composer-pack";
import { deserialize } from "@mysten/move-bytecode-template";
import { decodeModule } from "../../../src/abi/decode.ts";
import { formatNodeAbi } from "../../../src/abi/node-json/format.ts";
import { readBytecodeVersion } from "../../../src/move/module/self-id.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { describeMachine } from "../machine.ts";

/** One contender: a whole pass over its modules is what gets timed. */
type Contender = {
  readonly name: string;
  readonly modules: readonly Uint8Array[];
  readonly pass: (modules: readonly Uint8Array[]) => void;
};

if (frameworkHistory === undefined) throw new Error("the framework history is not beside this checkout");
const directory = join(frameworkHistory, "modules");
const all = readdirSync(directory).map((file) => new Uint8Array(readFileSync(join(directory, file))));
const old = all.filter((bytes) => (readBytecodeVersion(bytes) ?? 0) <= 6);

initSync({ module: wasmModule });
let total = 0;

const ours = (modules: readonly Uint8Array[]): void => {
  for (const bytes of modules) total += decodeModule(bytes).abi.functions.length;
};
const contenders: readonly Contender[] = [
  { name: "movedex: full ABI", modules: all, pass: ours },
  {
    name: "movedex: full ABI, then the node's JSON as text",
    modules: all,
    pass: (modules) => {
      for (const bytes of modules) total += JSON.stringify(formatNodeAbi(decodeModule(bytes).abi)).length;
    },
  },
  {
    name: "script-composer-pack 0.2.4 (node's reader, WASM): check only",
    modules: all,
    pass: (modules) => {
      const composer = TransactionComposer.single_signer();
      for (const bytes of modules) total += composer.store_module(bytes).length;
      composer.free();
    },
  },
  { name: "movedex: full ABI, versions 5 and 6", modules: old, pass: ours },
  {
    name: "move-bytecode-template 0.4.1 (WASM): tables, versions 5 and 6",
    modules: old,
    pass: (modules) => {
      for (const bytes of modules) total += Object.keys(deserialize(bytes)).length;
    },
  },
];

const rounds = Number(process.argv[2] ?? 15);
const best = contenders.map(() => Number.POSITIVE_INFINITY);
// Interleaved, so that a busy moment of the machine hits all; the minimum, since noise only adds.
for (let round = 0; round < rounds; round++) {
  contenders.forEach(({ modules, pass }, i) => {
    const started = performance.now();
    pass(modules);
    best[i] = Math.min(best[i] as number, performance.now() - started);
  });
}

console.log(`${describeMachine()}; minimum of ${rounds} interleaved rounds, one thread\n`);
console.log("| what | modules | MB | ms | modules/s | MB/s |\n|---|---|---|---|---|---|");
contenders.forEach(({ name, modules }, i) => {
  const ms = best[i] as number;
  const megabytes = modules.reduce((sum, { length }) => sum + length, 0) / 1e6;
  const cells = [
    name,
    modules.length,
    megabytes.toFixed(2),
    ms.toFixed(1),
    Math.round((modules.length / ms) * 1000),
    ((megabytes / ms) * 1000).toFixed(0),
  ];
  console.log(`| ${cells.join(" | ")} |`);
});
const ratio = (slow: number, fast: number): string => ((best[slow] as number) / (best[fast] as number)).toFixed(2);
console.log(`\nFull ABI against the node's reader, which only checks: ${ratio(2, 0)} times as fast.`);
console.log(`Full ABI against move-bytecode-template: ${ratio(4, 3)} times as fast. (${total} things counted.)`);
