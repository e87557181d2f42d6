import { createInterface } from "node:readline";
import { startSimNode } from "../../../sim/index.ts";
import { AccountState, freshRecord } from "../../../sim/ledger/account-state.ts";
import { SimLedger } from "../../../sim/ledger/ledger.ts";
import type { ModuleCode } from "../../../sim/ledger/module-code.ts";
import { moduleOrder } from "../../../sim/ledger/state-key.ts";
import { Timeline } from "../../../sim/ledger/timeline.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { type Address, formatAddress } from "../../../src/core/move/address.ts";
import { modulesFrom, recordedModules } from "../recorded-modules.ts";

// A ledger as real ones are: every account its own code, of real size. Each account holds a few of the recorded modules as its own;
// what they use of the framework is at 0x1. With `rewritten`, which is harder, each account's address is written over every 0x1.
// Usage: real-modules-node.ts ACCOUNTS MODULES_EACH [rewritten]. Says `{url, head}`, then the addresses; `advance N` moves the head,
// `upgrade N` too, once it has put another recorded version in the place of a module of every hundredth account and of the framework's.
const [accounts = 3000, each = 4] = process.argv.slice(2, 4).map(Number);
const isRewritten = process.argv[4] === "rewritten";
const recorded = recordedModules().map((module) => ({ ...module, order: moduleOrder(module.name) }));
type Recorded = (typeof recorded)[number];
const versionsOf = Map.groupBy(recorded, ({ address, name }) => `${address}::${name}`);
const upgrades: (() => void)[] = [];

/** An account that holds modules, in the form that they have there; `isUpgraded` tells which of them have another version later. */
function holding(address: Address, modules: readonly Recorded[], at: (module: Recorded) => ModuleCode, isUpgraded: (i: number) => boolean) {
  const slots = modules.map((module, i) => {
    const code = new Timeline(0n, at(module));
    const other = versionsOf.get(`${module.address}::${module.name}`)?.find((one) => one !== module);
    if (isUpgraded(i) && other !== undefined) upgrades.push(() => code.write(ledger.head + 1n, at(other)));
    return { name: module.name, order: module.order, code };
  });
  return new AccountState(
    new Timeline(0n, freshRecord(address)),
    slots.sort((a, b) => (a.order < b.order ? -1 : 1)),
  );
}

const states = new Map<Address, AccountState>();
let next = 0;
for (let i = 0; i < accounts; i++) {
  const address = formatAddress(sha256(Buffer.from(`account ${i}`)));
  const held = modulesFrom(recorded, next, each);
  next = held.next;
  const at = ({ code, address: own }: Recorded) => (isRewritten ? code.publishedAt(address, own) : code.movedTo(address));
  states.set(
    address,
    holding(address, held.modules, at, (place) => place === 0 && i % 100 === 0),
  );
}
const addresses = [...states.keys()];
for (const [address, modules] of Map.groupBy(recorded, (module) => module.address)) {
  const newest = [...new Map(modules.map((module) => [module.name, module])).values()];
  states.set(
    address,
    holding(
      address,
      newest,
      ({ code }) => code,
      (place) => place % 10 === 0,
    ),
  );
}
const ledger = new SimLedger({ generated: (address) => states.get(address) });
ledger.advance(10_000n);
const node = await startSimNode({ ledger, log: false });
const say = () => process.stdout.write(`${JSON.stringify({ url: node.url, head: ledger.head.toString(), requests: node.requestCount })}\n`);
say();
process.stdout.write(`${addresses.join(" ")}\n`);
const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  const [word, count] = line.split(" ");
  if (word === "upgrade") for (const upgrade of upgrades) upgrade();
  ledger.advance(BigInt(count ?? 0));
  say();
});
input.on("close", () => void node.close());
