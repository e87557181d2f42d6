import { describe, expect, test } from "vitest";
import { SimLedger } from "../../sim/index.ts";

const names = (ledger: SimLedger, version: bigint): string[] => ledger.modulesAt("0x1", version).map(({ name }) => name);

describe("SimLedger", () => {
  test("keeps every version apart", () => {
    const ledger = new SimLedger();
    ledger.genesis((writer) => writer.publish("0x1", "coin", Buffer.from("one")));
    const upgraded = ledger.transact((writer) => writer.publish("0x1", "coin", Buffer.from("two")));
    const removed = ledger.transact((writer) => writer.remove("0x1", "coin"));
    expect([upgraded, removed]).toEqual([1n, 2n]);
    expect(ledger.modulesAt("0x1", 0n).map(({ code }) => Buffer.from(code.bytes).toString())).toEqual(["one"]);
    expect(ledger.modulesAt("0x1", 1n).map(({ code }) => Buffer.from(code.bytes).toString())).toEqual(["two"]);
    expect(ledger.modulesAt("0x1", 2n)).toEqual([]);
  });

  test("lists modules by the length of their name, then by its bytes", () => {
    const ledger = new SimLedger();
    ledger.genesis((writer) => {
      for (const name of ["account", "coin", "acl", "b", "bcs"]) writer.publish("0x1", name, new Uint8Array());
    });
    expect(names(ledger, 0n)).toEqual(["b", "acl", "bcs", "coin", "account"]);
  });

  test("prunes up to the next block start and never back, until told so", () => {
    const ledger = new SimLedger({ versionsPerBlock: 10n });
    ledger.advance(1000n);
    ledger.pruneTo(101n);
    expect(ledger.oldest).toBe(110n);
    ledger.pruneTo(50n);
    expect(ledger.info()).toMatchObject({ head: 1000n, oldest: 110n, blockHeight: 100n, oldestBlockHeight: 11n });
    ledger.unpruneTo(0n);
    expect(ledger.oldest).toBe(0n);
    expect(() => ledger.pruneTo(1001n)).toThrow(RangeError);
  });

  test("drags its horizon behind the head when it has a window", () => {
    const ledger = new SimLedger({ window: 100n });
    ledger.advance(90n);
    expect(ledger.oldest).toBe(0n);
    ledger.advance(60n);
    expect(ledger.oldest).toBe(50n);
  });

  test("moves time and epochs with the version alone", () => {
    const ledger = new SimLedger({ genesisUsec: 5n, usecPerVersion: 3n, versionsPerEpoch: 10n });
    ledger.advance(25n);
    expect(ledger.info()).toMatchObject({ timestampUsec: 80n, epoch: 3n });
    expect(ledger.info(20n)).toMatchObject({ head: 5n, timestampUsec: 20n, epoch: 1n });
  });

  test("makes an account once and changes only what is said", () => {
    const ledger = new SimLedger();
    ledger.transact((writer) => writer.account("0xa"));
    ledger.transact((writer) => writer.account("0xa", { authenticationKey: Buffer.alloc(32, 7) }));
    ledger.transact((writer) => writer.account("0xa", { sequenceNumber: 1n }));
    expect(ledger.sequenceNumber("0xa")).toBe(1n);
    const record = ledger.account(ledger.addresses()[0] as never)?.record;
    expect(record?.at(0n)).toBeUndefined();
    expect(record?.at(1n)?.authenticationKey.at(-1)).toBe(0x0a);
    expect(record?.at(3n)?.authenticationKey).toEqual(Buffer.alloc(32, 7));
  });
});
