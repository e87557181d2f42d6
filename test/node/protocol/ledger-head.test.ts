import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Headers, readCursor, readLedgerHead } from "../../../src/core/node/protocol/ledger-head.ts";
import { AnswerFault, parseRetryAfter } from "../../../src/core/node/protocol/node-error.ts";
import { expectOnlyErrors } from "../../support/mutate.ts";
import { law } from "../../support/property/law.ts";

const values = {
  "chain-id": "126",
  "ledger-version": "9007199254740993",
  "ledger-oldest-version": "0",
  "ledger-timestampusec": "1700000000000001",
  epoch: "7",
  "block-height": "12",
  "oldest-block-height": "3",
};

function spelled(prefix: string, changes: Record<string, string | string[] | undefined> = {}): Headers {
  return Object.fromEntries(Object.entries({ ...values, ...changes }).map(([name, value]) => [`${prefix}${name}`, value]));
}

describe("readLedgerHead", () => {
  test("reads both spellings, exactly", () => {
    const head = {
      chainId: 126,
      ledgerVersion: 9007199254740993n,
      oldestVersion: 0n,
      timestampUsec: 1700000000000001n,
      epoch: 7n,
      blockHeight: 12n,
      oldestBlockHeight: 3n,
    };
    expect(readLedgerHead(spelled("x-aptos-"))).toEqual(head);
    expect(readLedgerHead(spelled("x-node-"))).toEqual(head);
    expect(readLedgerHead({ ...spelled("x-node-"), ...spelled("x-aptos-") })).toEqual(head);
  });

  test("an answer without any has no head", () => {
    expect(readLedgerHead({ "content-type": "text/html" })).toBeUndefined();
  });

  test.each(Object.keys(values).filter((name) => name !== "chain-id"))("refuses an answer without %s", (name) => {
    expect(() => readLedgerHead(spelled("x-aptos-", { [name]: undefined }))).toThrow(AnswerFault);
  });

  test.each(["", " 1", "+1", "-1", "01", "1.0", "0x1", "1e3", "9223372036854775808", "١"])("refuses %j as a version", (text) => {
    expect(() => readLedgerHead(spelled("x-aptos-", { "ledger-version": text }))).toThrow(AnswerFault);
  });

  test("reads a header that a proxy doubled", () => {
    for (const epoch of [["7", "7"], "7, 7"])
      expect(readLedgerHead({ ...spelled("x-node-", { epoch }), ...spelled("x-aptos-", { epoch }) })).toMatchObject({ epoch: 7n });
  });

  test("refuses a header twice that disagrees, and spellings that disagree", () => {
    for (const epoch of [["7", "8"], "7, 8"]) expect(() => readLedgerHead(spelled("x-aptos-", { epoch }))).toThrow(AnswerFault);
    expect(() => readLedgerHead({ ...spelled("x-node-", { epoch: "8" }), ...spelled("x-aptos-") })).toThrow(AnswerFault);
  });

  test.each([
    ["ledger-oldest-version", "9007199254740994"],
    ["ledger-version", "0"],
    ["oldest-block-height", "13"],
  ])("refuses a window that ends before it begins: %s is %s", (name, value) => {
    const changes = name === "ledger-version" ? { "ledger-oldest-version": "1", [name]: value } : { [name]: value };
    expect(() => readLedgerHead(spelled("x-aptos-", changes))).toThrow(/as the oldest (version|block) and/);
  });

  test("whatever the headers hold, there is a head, none, or a fault", () => {
    const anything = fc.dictionary(fc.constantFrom(...Object.keys(spelled("x-aptos-")), ...Object.keys(spelled("x-node-"))), fc.string());
    expectOnlyErrors(AnswerFault, anything, (headers) => readLedgerHead(headers));
  });
});

describe("readCursor", () => {
  test("gives it as it came, in either spelling", () => {
    expect(readCursor({ "x-aptos-cursor": "00AB" })).toBe("00AB");
    expect(readCursor({ "x-node-cursor": "00" })).toBe("00");
    expect(readCursor({})).toBeUndefined();
  });

  test.each(["", "a b", "a&limit=1", "a#", "é", "a".repeat(4097)])("refuses %j", (cursor) => {
    expect(() => readCursor({ "x-aptos-cursor": cursor })).toThrow(AnswerFault);
  });
});

const now = Date.UTC(2026, 0, 1);

describe("parseRetryAfter", () => {
  test.each([
    ["120", 120_000],
    [" 5 ", 5000],
    [new Date(now + 30_000).toUTCString(), 30_000],
    ["0", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["", undefined],
    ["99999999999999", undefined],
    [new Date(now - 30_000).toUTCString(), undefined],
  ])("reads %j as %j ms", (text, expected) => {
    expect(parseRetryAfter(text, undefined, now)).toBe(expected);
  });

  test("measures a date against the server's clock, not ours", () => {
    const ahead = now + 3_600_000;
    expect(parseRetryAfter(new Date(ahead + 7000).toUTCString(), new Date(ahead).toUTCString(), now)).toBe(7000);
  });

  law("takes any text without a foreign error", 100, [fc.string(), fc.option(fc.string(), { nil: undefined })], (text, date) => {
    const wait = parseRetryAfter(text, date, now);
    expect(wait === undefined || wait > 0).toBe(true);
  });
});
