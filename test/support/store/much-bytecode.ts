import { type ModuleSpec, writeModule } from "../../../sim/module-writer/module-writer.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import type { ObservedModule } from "../../../src/core/db/archive/content/observed-module.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { addressOf, NOON, pinAt, recordOf } from "./temporary-store.ts";

/** The version at which `crawlMuch` reads. */
const VERSION = 10n;

/** Of each account one module that cannot be decoded. */
const UNDECODABLE = 7;

function moduleOf(account: number, index: number): ObservedModule {
  const spec = {
    version: 7,
    address: addressOf(account),
    name: `m${index}`,
    dependencies: ["0x1::math"],
    structs: [{ name: `S${index}`, abilities: ["key"], fields: [["value", "u64"]] }],
    functions: ["all", `f${account}`, `g${index}`].map((name) => ({ name, visibility: "public", params: ["&signer"] })),
  } as unknown as ModuleSpec;
  const code = index === UNDECODABLE ? Buffer.from(`no module ${account}`) : writeModule(spec);
  return { name: spec.name, sha256: sha256(code), content: { code, bytecodeVersion: index === UNDECODABLE ? null : 7 } };
}

/** Accounts to crawl, each with a number of modules of its own. */
export function muchBytecode(accounts: number): readonly { readonly address: Address; readonly number: number }[] {
  return Array.from({ length: accounts }, (_, i) => ({ address: addressOf(0x100 + i), number: 0x100 + i }));
}

/** Pins, visits and seals a snapshot, each visit a transaction: more new bytecode than one thread derives by itself. */
export async function crawlMuch(engine: Engine, accounts: number, each: number): Promise<void> {
  const all = muchBytecode(accounts);
  await snapshotQueries(engine).createSnapshot(
    pinAt(VERSION),
    all.map(({ address }) => address),
  );
  const visit = async ({ address, number }: (typeof all)[number]) => {
    const modules = Array.from({ length: each }, (_, index) => moduleOf(number, index));
    await visitQueries(engine).commitVisits(VERSION, [{ address, account: recordOf(1n), modules }]);
  };
  await Promise.all(all.map(visit));
  await sealQueries(engine).seal(VERSION, { now: NOON });
}
