import { createInterface } from "node:readline";
import { startSimNode } from "../../../sim/index.ts";
import { AccountState, freshRecord } from "../../../sim/ledger/account-state.ts";
import { SimLedger } from "../../../sim/ledger/ledger.ts";
import { moduleOrder } from "../../../sim/ledger/state-key.ts";
import { Timeline } from "../../../sim/ledger/timeline.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { type Address, formatAddress } from "../../../src/core/move/address.ts";
import { modulesFrom, recordedModules } from "../recorded-modules.ts";

// A ledger as real ones are: every account its own code, of real size. Each account holds a few of the recorded modules as its own;
// what they use of the framework is at 0x1. With `rewritten`, which is harder, each account's address is written over every 0x1.
// Usage: real-modules-node.ts ACCOUNTS MODULES_EACH [rewritten]. Says `{url, head}`, then the addresses; `advance N` moves the head.
const [accounts = 3000, each = 4] = process.argv.slice(2, 4).map(Number);
const isRewritten = process.argv[4] === "rewritten";
const recorded = recordedModules().map((module) => ({ ...module, order: moduleOrder(module.name) }));

let next = 0;
function holdings(address: Address): AccountState {
  const held = modulesFrom(recorded, next, each);
  next = held.next;
  const slots = held.modules.sort((a, b) => (a.order < b.order ? -1 : 1));
  return new AccountState(
    new Timeline(0n, freshRecord(address)),
    slots.map(({ name, order, code, address: own }) => {
      const moved = isRewritten ? code.publishedAt(address, own) : code.movedTo(address);
      return { name, order, code: new Timeline(0n, moved) };
    }),
  );
}

const states = new Map<Address, AccountState>();
for (let i = 0; i < accounts; i++) {
  const address = formatAddress(sha256(Buffer.from(`account ${i}`)));
  states.set(address, holdings(address));
}
const ledger = new SimLedger({ generated: (address) => states.get(address) });
ledger.advance(10_000n);
const node = await startSimNode({ ledger, log: false });
const say = () => process.stdout.write(`${JSON.stringify({ url: node.url, head: ledger.head.toString(), requests: node.requestCount })}\n`);
say();
process.stdout.write(`${[...states.keys()].join(" ")}\n`);
const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  ledger.advance(BigInt(line.split(" ")[1] ?? 0));
  say();
});
input.on("close", () => void node.close());
