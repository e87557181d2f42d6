import { describe, expect, test } from "vitest";
import { manyAccounts, startSimNode } from "../../sim/index.ts";
import { decodeModule } from "../../src/abi/decode.ts";
import { parseAddress } from "../../src/move/address.ts";

describe("manyAccounts", () => {
  test("answers for each of a million accounts and for nobody else", () => {
    const { ledger, address } = manyAccounts(1_000_000, { packages: 4 });
    for (const index of [0, 1, 17, 999_999]) {
      const state = ledger.account(address(index));
      expect(state?.slots).toHaveLength(3);
      expect(state?.record.at(0n)?.sequenceNumber).toBe(BigInt(index % 1000));
    }
    expect(ledger.account(address(1_000_000))).toBeUndefined();
    expect(ledger.account(parseAddress("0x1") ?? address(0))).toBeUndefined();
    expect(ledger.addresses()).toEqual([]);
  });

  test("gives every account its own address, and accounts of one package the same code under it", () => {
    const { ledger, addresses, address } = manyAccounts(300, { packages: 50 });
    expect(new Set(addresses()).size).toBe(300);
    const hashes = [...addresses()].flatMap((each) => ledger.modulesAt(each, 0n).map(({ code }) => code.sha256));
    expect(new Set(hashes).size).toBe(900);
    const abis = (index: number) => ledger.modulesAt(address(index), 0n).map(({ code }) => decodeModule(code.bytes).abi);
    expect(abis(3).map(({ address: own }) => own)).toEqual([address(3), address(3), address(3)]);
    expect(abis(3).map(({ name, functions }) => ({ name, functions }))).toEqual(
      abis(53).map(({ name, functions }) => ({ name, functions })),
    );
    expect(abis(3)[0]?.functions).not.toEqual(abis(4)[0]?.functions);
  });

  test("makes modules of real size that decode", () => {
    const { ledger, address } = manyAccounts(10, { packages: 10 });
    for (let index = 0; index < 10; index++) {
      for (const { name, code } of ledger.modulesAt(address(index), 0n)) {
        expect(decodeModule(code.bytes).abi.name).toBe(name);
        expect(code.bytes.length).toBeGreaterThan(2000);
      }
    }
  });

  test("upgrades some accounts and leaves the others as they are", () => {
    const { ledger, address, upgradeEvery } = manyAccounts(20, { packages: 2 });
    const version = upgradeEvery(10);
    const hashes = (index: number, at: bigint): string[] => ledger.modulesAt(address(index), at).map(({ code }) => code.sha256);
    expect(hashes(0, version)).not.toEqual(hashes(0, version - 1n));
    expect(hashes(0, version).slice(1)).toEqual(hashes(0, version - 1n).slice(1));
    expect(hashes(2, version)).toEqual(hashes(2, version - 1n));
    expect(hashes(2, version)).not.toEqual(hashes(0, version - 1n));
    expect(ledger.addresses()).toEqual([address(0), address(10)]);
  });

  test("is the same ledger for the same seed", () => {
    const hashes = (seed: number): string[] => {
      const { ledger, address } = manyAccounts(3, { seed });
      return ledger.modulesAt(address(2), 0n).map(({ code }) => code.sha256);
    };
    expect(hashes(4)).toEqual(hashes(4));
    expect(hashes(4)).not.toEqual(hashes(5));
  });

  test("is served", async () => {
    const { ledger, address } = manyAccounts(10);
    await using node = await startSimNode({ ledger });
    const modules = (await (await fetch(`${node.url}/accounts/${address(7)}/modules`)).json()) as { abi: object }[];
    expect(modules.map(({ abi }) => abi)).toEqual([expect.any(Object), expect.any(Object), expect.any(Object)]);
  });
});
