import { SimLedger, writeModule } from "../../../../sim/index.ts";
import { asWords } from "../../../support/command/command-lines.ts";

/** A ledger whose modules have names of every awkward length, with three versions to read. */
export type VariedLedger = {
  readonly ledger: SimLedger;
  readonly accounts: readonly string[];
  /** An account that is on the ledger and is not to be crawled. */
  readonly stranger: string;
  readonly moduleNames: readonly string[];
  /** Passes to the next of the versions to read, and returns it; undefined when there are no more. */
  readonly next: () => bigint | undefined;
};

const OBJECT = "0xb0b";
const CODE = `0x${"c".repeat(63)}`;
const names = [
  ...asWords`a b coin bank account _x pack$S Zoo`,
  "n".repeat(92),
  "m".repeat(93),
  "m".repeat(94),
  "l".repeat(126),
  "k".repeat(127),
  "j".repeat(128),
  "i".repeat(255),
];

/** Makes the ledger, its head at the first of its three versions to read. */
export function variedLedger(): VariedLedger {
  const ledger = new SimLedger({ chainId: 7 });
  ledger.genesis((writer) => {
    writer.account("0x1", { sequenceNumber: 18_446_744_073_709_551_615n });
    for (const name of names) writer.publish("0x1", name, moduleOf("0x1", name, "first"));
    writer.publish("0x1", "opaque", Buffer.from("no module at all"));
    writer.account(CODE, { sequenceNumber: 3n });
    writer.publish(CODE, "only", moduleOf(CODE, "only", "first"));
    // An account that lists no module any more is no answer, so one stays.
    writer.publish(CODE, "stays", moduleOf(CODE, "stays", "first"));
    writer.object(OBJECT);
    writer.publish(OBJECT, "thing", moduleOf(OBJECT, "thing", "first"));
    writer.account("0x57a", { sequenceNumber: 1n });
    writer.publish("0x57a", "hidden", moduleOf("0x57a", "hidden", "first"));
  });
  ledger.advance(500n);
  const steps = [
    () => undefined,
    () => {
      ledger.transact((writer) => {
        writer.publish("0x1", "coin", moduleOf("0x1", "coin", "second"));
        writer.publish(OBJECT, "late", moduleOf(OBJECT, "late", "first"));
        writer.account(CODE, { sequenceNumber: 4n, authenticationKey: Buffer.alloc(32, 9) });
      });
      ledger.advanceTo(900n);
    },
    () => {
      ledger.transact((writer) => writer.remove(CODE, "only"));
      ledger.advanceTo(1400n);
    },
  ];
  return {
    ledger,
    accounts: ["0x1", CODE, OBJECT, "0xdead"],
    stranger: "0x57a",
    moduleNames: [...names, "opaque", "only", "thing", "late"],
    next: () => {
      const step = steps.shift();
      step?.();
      return step === undefined ? undefined : ledger.head;
    },
  };
}

function moduleOf(address: string, name: string, field: string): Uint8Array {
  return writeModule({
    address,
    name,
    structs: [{ name: "State", abilities: ["key"], fields: [[field, "u64"]] }],
    functions: [{ name: "run", visibility: "public", entry: true, params: ["&signer", "vector<0x1::string::String>"], returns: [] }],
  });
}
