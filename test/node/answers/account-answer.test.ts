import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accountFromBcs, accountFromJson } from "../../../src/core/node/answers/shapes.ts";
import { AnswerFault } from "../../../src/core/node/protocol/node-error.ts";
import { expectOnlyErrors } from "../../support/mutate.ts";

const key = Buffer.alloc(32, 7);
const event = Buffer.alloc(8 + 8 + 32);
const fresh = Buffer.concat([Buffer.of(32), key, Buffer.from("0500000000000080", "hex"), Buffer.alloc(8), event, event, Buffer.of(0, 0)]);
const offered = Buffer.concat([fresh.subarray(0, -2), Buffer.of(1), Buffer.alloc(32, 1), Buffer.of(1), Buffer.alloc(32, 2)]);

describe("accountFromBcs", () => {
  test("reads a record with and without offers, and keeps its bytes", () => {
    for (const body of [fresh, offered]) {
      expect(accountFromBcs(body)).toEqual({ sequenceNumber: 2n ** 63n + 5n, authenticationKey: key, resource: body });
    }
  });

  test("refuses every cut, and bytes after the end", () => {
    for (let length = 0; length < offered.length; length++) {
      expect(() => accountFromBcs(offered.subarray(0, length)), `${length} bytes`).toThrow(AnswerFault);
    }
    expect(() => accountFromBcs(Buffer.concat([fresh, Buffer.of(0)]))).toThrow(AnswerFault);
  });

  test("any bytes give an account or a fault", () => {
    expectOnlyErrors(AnswerFault, fc.uint8Array({ maxLength: 300 }), (bytes) => accountFromBcs(bytes));
  });
});

describe("accountFromJson", () => {
  const json = { sequence_number: "18446744073709551615", authentication_key: `0x${"07".repeat(32)}` };

  test("reads a record", () => {
    expect(accountFromJson(json)).toEqual({ sequenceNumber: 2n ** 64n - 1n, authenticationKey: new Uint8Array(key), resource: null });
  });

  test.each([
    null,
    [],
    "x",
    {},
    { ...json, sequence_number: 1 },
    { ...json, sequence_number: "18446744073709551616" },
    { ...json, authentication_key: "07".repeat(32) },
    { ...json, authentication_key: "0x07" },
    { ...json, authentication_key: `0x${"g7".repeat(32)}` },
  ])("refuses %j", (value) => {
    expect(() => accountFromJson(value)).toThrow(AnswerFault);
  });
});
