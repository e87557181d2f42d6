import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { moduleOrder, moduleStateKey, parseCursor, uleb } from "../../sim/ledger/state-key.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";

const one = parseAddress("0x1");
const options = { tradingNative: true };

describe("moduleStateKey", () => {
  test("gives the contract's example, byte for byte", () => {
    if (!one) throw new Error("0x1 is an address");
    const zeros = "00".repeat(31);
    expect(moduleStateKey(one, "pool_u64").toString("hex")).toBe(`00${zeros}012a00${zeros}0108706f6f6c5f753634`);
  });

  test("sorts as the order texts do, for names of every length", () => {
    const name = fc.string({ unit: fc.constantFrom(..."ab_z9"), minLength: 1, maxLength: 200 });
    const account = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(formatAddress);
    fc.assert(
      fc.property(account, name, name, (address, a, b) => {
        const bytes = Buffer.compare(moduleStateKey(address, a), moduleStateKey(address, b));
        const texts = moduleOrder(a) < moduleOrder(b) ? -1 : moduleOrder(a) > moduleOrder(b) ? 1 : 0;
        expect(texts).toBe(bytes);
      }),
    );
  });
});

describe("parseCursor", () => {
  test("reads back what moduleStateKey wrote", () => {
    if (!one) throw new Error("0x1 is an address");
    const key = moduleStateKey(one, "coin");
    expect(parseCursor(key.toString("hex"), options)).toEqual({ kind: "code", account: "0x1", bytes: key });
    expect(parseCursor(key.toString("hex").toUpperCase(), options)).toEqual({ kind: "code", account: "0x1", bytes: key });
  });

  test.each([
    ["0x00", "Failed to decode StateKey as hex string"],
    ["abc", "Failed to decode StateKey as hex string"],
    ["zz", "Failed to decode StateKey as hex string"],
    ["", "Failed to decode StateKey from hex string"],
    ["07", "Failed to decode StateKey from hex string"],
    [`00${"00".repeat(31)}`, "Failed to decode StateKey from hex string"],
    [`00${"00".repeat(32)}0500`, "Failed to decode StateKey from hex string"],
  ])("refuses %j with the node's cause", (text, cause) => {
    expect(parseCursor(text, options)).toEqual({ cause });
  });

  test("takes a table item as a place elsewhere, and tag 2 only where the generation knows it", () => {
    expect(parseCursor(`01${"11".repeat(32)}22`, options)).toMatchObject({ kind: "elsewhere" });
    expect(parseCursor(`02${"11".repeat(32)}22`, options)).toMatchObject({ kind: "elsewhere" });
    expect(parseCursor(`02${"11".repeat(32)}22`, { tradingNative: false })).toMatchObject({ cause: expect.any(String) });
  });

  test("takes a resource of the account as a position", () => {
    const path = Buffer.concat([Buffer.of(1), Buffer.alloc(32, 3), Buffer.from([4, 99, 111, 105, 110, 4, 67, 111, 105, 110, 0])]);
    const key = Buffer.concat([Buffer.of(0), Buffer.alloc(32, 5), uleb(path.length), path]);
    expect(parseCursor(key.toString("hex"), options)).toMatchObject({ kind: "resource", account: `0x${"05".repeat(32).slice(1)}` });
  });
});
