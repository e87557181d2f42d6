import { sha256 } from "../../src/core/base/sha256.ts";
import { type Address, addressBytes, formatAddress } from "../../src/core/move/address.ts";
import { AccountState, freshRecord, type ModuleSlot } from "./account-state.ts";
import { generatedPackage } from "./generated-package.ts";
import { type LedgerOptions, SimLedger } from "./ledger.ts";
import { moduleOrder } from "./state-key.ts";
import { Timeline } from "./timeline.ts";

/** A ledger of very many accounts, none of which is kept in memory until something is written to it. */
export type ManyAccounts = {
  readonly ledger: SimLedger;
  readonly count: number;
  /** The address of the account of that number, from 0. */
  readonly address: (index: number) => Address;
  /** Every address, in the order of the numbers; made as it is read. */
  readonly addresses: () => Generator<Address>;
  /** At the next version, every n-th account upgrades its first module, to code that no other has. Returns the version. */
  readonly upgradeEvery: (step: number) => bigint;
};

/**
 * `count` accounts at version 0, each with a record and one package out of a pool. Accounts with the same package hold the
 * same code under their own address, so no two hold the same bytes, as on a real ledger. The head stands at 10,000.
 */
export function manyAccounts(
  count: number,
  options: {
    /** Default 50. */
    readonly packages?: number;
    /** Default 3. */
    readonly modulesPerPackage?: number;
    /** How many accounts, the first ones, hold a package; the others have a record and no more. Default all. */
    readonly holders?: number;
    /** Default 1; the same seed gives the same ledger. */
    readonly seed?: number;
    readonly ledger?: LedgerOptions;
  } = {},
): ManyAccounts {
  const { packages = 50, modulesPerPackage = 3, holders = count, seed = 1 } = options;
  const pool = Array.from({ length: packages }, (_, index) =>
    generatedPackage(modulesPerPackage, seed * 100_003 + index)
      .map((module) => ({ ...module, order: moduleOrder(module.name) }))
      .sort((a, b) => (a.order < b.order ? -1 : 1)),
  );
  const slotsOf = (address: Address, index: number): ModuleSlot[] =>
    (index < holders ? (pool[index % packages] ?? []) : []).map(({ name, order, account, code }) => ({
      name,
      order,
      code: new Timeline(0n, code.publishedAt(address, account)),
    }));
  const recent = new Map<Address, AccountState>();
  const ledger = new SimLedger({
    ...options.ledger,
    generated: (address) => {
      const index = indexOf(address);
      if (index === undefined || index >= count) return undefined;
      const known = recent.get(address);
      if (known !== undefined) return known;
      if (recent.size >= RECENT_MAX) recent.clear();
      const record = { ...freshRecord(address), sequenceNumber: BigInt(index % 1000) };
      const state = new AccountState(new Timeline(0n, record), slotsOf(address, index));
      recent.set(address, state);
      return state;
    },
  });
  ledger.advance(10_000n);
  return {
    ledger,
    count,
    address: addressOf,
    addresses: function* () {
      for (let index = 0; index < count; index++) yield addressOf(index);
    },
    upgradeEvery: (step) =>
      ledger.transact((writer) => {
        for (let index = 0; index < count; index += step) {
          const name = pool[index % packages]?.[0]?.name;
          if (name === undefined) continue;
          const [upgraded] = generatedPackage(1, seed * 100_003 + packages + index, [name]);
          const address = addressOf(index);
          if (upgraded !== undefined) writer.publish(address, name, upgraded.code.publishedAt(address, upgraded.account));
        }
      }),
  };
}

/** How many accounts are kept made, so that two requests about one account do not make it twice. */
const RECENT_MAX = 2_000;

const MASK = (1n << 64n) - 1n;
/** An odd number, so that multiplying by it modulo 2^64 can be undone, and neighbours land far apart. */
const FACTOR = 0x9e3779b97f4a7c15n;
const INVERSE = inverse(FACTOR);

/** The number, scattered over the first 8 bytes, then as much of the hash of these as an address needs. */
function addressOf(index: number): Address {
  const head = Buffer.alloc(8);
  head.writeBigUInt64BE((BigInt(index + 1) * FACTOR) & MASK);
  return formatAddress(Buffer.concat([head, sha256(head).subarray(0, 24)]));
}

function indexOf(address: Address): number | undefined {
  const number = (Buffer.from(addressBytes(address)).readBigUInt64BE() * INVERSE) & MASK;
  const index = Number(number) - 1;
  return index >= 0 && number <= 0xffff_ffffn && addressOf(index) === address ? index : undefined;
}

/** The inverse of an odd number modulo 2^64, by Newton's steps: each doubles the bits that are right. */
function inverse(odd: bigint): bigint {
  let result = odd;
  for (let step = 0; step < 6; step++) result = (result * (2n - odd * result)) & MASK;
  return result & MASK;
}
