import { writeFileSync } from "node:fs";
import { manyAccounts, type SimLedger, writeModule } from "../../sim/index.ts";
import type { LedgerOptions } from "../../sim/ledger/ledger.ts";

/** A made-up ledger with two versions to read, between which some accounts upgraded, and the accounts to read there. */
export type TwoNights = {
  readonly ledger: SimLedger;
  readonly addresses: readonly string[];
  readonly first: bigint;
  readonly second: bigint;
  /** Writes the addresses as a targets file, and returns its path. */
  readonly targetsFile: (path: string) => string;
};

/** `count` accounts of three modules each. One address in the list holds nothing at all. */
export function twoNights(count: number, seed = 1, ledger: LedgerOptions = {}): TwoNights {
  const many = manyAccounts(count, { packages: 6, seed, ledger });
  const first = many.ledger.head;
  many.ledger.transact((writer) => {
    for (let index = 0; index < count; index += 4) {
      const address = many.address(index);
      const name = many.ledger.modulesAt(address, first)[0]?.name as string;
      const functions = [{ name: "upgraded", visibility: "public", params: ["u64"], returns: ["0x1::string::String"] }] as const;
      writer.publish(address, name, writeModule({ address, name, functions }));
    }
  });
  many.ledger.transact((writer) => writer.account(many.address(1), { sequenceNumber: 77n }));
  many.ledger.advance(500n);
  const addresses = [...many.addresses(), "0xdead"];
  return {
    ledger: many.ledger,
    addresses,
    first,
    second: many.ledger.head,
    targetsFile: (path) => {
      writeFileSync(path, `address\n${addresses.join("\n")}\n`);
      return path;
    },
  };
}
