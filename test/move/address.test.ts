import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressBytes, compareAddresses, formatAddress, formatLongAddress, parseAddress } from "../../src/core/move/address.ts";
import { isIdentifier } from "../../src/core/move/module-id.ts";
import { handmade, nameRow } from "../support/handmade.ts";
import { holdsFor, law } from "../support/property/law.ts";
import { verdict } from "../support/vm/verdict.ts";

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).chain((bytes) => fc.nat(32).map((zeros) => bytes.fill(0, 0, zeros)));

describe("addresses", () => {
  law("come back from their text and from their bytes", 100, [bytes32], (bytes) => {
    const address = formatAddress(bytes);
    expect(parseAddress(address)).toBe(address);
    expect(parseAddress(formatLongAddress(address))).toBe(address);
    expect(addressBytes(address)).toEqual(bytes);
  });

  law("sort as their bytes do, and so do their long texts", 100, [bytes32, bytes32], (a, b) => {
    const [x, y] = [formatAddress(a), formatAddress(b)];
    const order = Buffer.compare(a, b);
    expect(Math.sign(compareAddresses(x, y))).toBe(order);
    expect(Math.sign(formatLongAddress(x) < formatLongAddress(y) ? -1 : x === y ? 0 : 1)).toBe(order);
  });

  test.each([
    ["0x1", "0x1"],
    ["1", "0x1"],
    ["0x00CAFE", "0xcafe"],
    ["0x0", "0x0"],
    [`0x${"0".repeat(64)}`, "0x0"],
  ])("are read from %s as the node prints them", (text, address) => expect(parseAddress(text)).toBe(address));

  test.each(["", "0x", "0X1", "0xg", " 0x1", "0x1 ", `0x${"1".repeat(65)}`, "0x0x1", "-1", "１"])("are not read from %j", (text) =>
    expect(parseAddress(text)).toBeUndefined(),
  );

  test("have 32 bytes", () => expect(() => formatAddress(new Uint8Array(31))).toThrow(RangeError));
});

const pieces = ["a", "Z", "0", "9", "_", "$", "<SELF>", "<SELF", ">", "-", " ", "é", "\u0000", "::"];

test("isIdentifier accepts what the reader of modules accepts, and nothing else", async () => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((parts) => parts.join(""));
  await holdsFor(2000, [texts], (text) => {
    const accepted = verdict(handmade(10, { identifiers: [nameRow(text)] })) === "accepted";
    expect([text, isIdentifier(text)]).toEqual([text, accepted]);
  });
});
