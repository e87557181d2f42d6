import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorAnswer } from "../../../src/core/node/answers/answer-reader.ts";
import { moduleFromJson, modulesFromBcs, modulesFromJson } from "../../../src/core/node/answers/module-answer.ts";
import { accountFromBcs, accountFromJson, indexFromBcs, indexFromJson, parseJsonBody } from "../../../src/core/node/answers/shapes.ts";
import { nodeLimits } from "../../../src/core/node/http/body.ts";
import { AnswerFault } from "../../../src/core/node/protocol/node-error.ts";
import { expectOnlyErrors } from "../../support/mutate.ts";
import { address } from "../small-ledger.ts";

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

const json = {
  chain_id: 126,
  epoch: "7",
  ledger_version: "100",
  oldest_ledger_version: "0",
  ledger_timestamp: "1700000000000000",
  node_role: "full_node",
  oldest_block_height: "0",
  block_height: "9",
  git_hash: "337fb7e",
};

function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);
}

const before = ["7", "100", "0", "1700000000000000"].map(text);
const bcs = Buffer.concat([Buffer.of(126), ...before, Buffer.of(1), text("0"), text("9")]);

describe("the index", () => {
  test("is read from JSON, of every generation", () => {
    expect(indexFromJson(json)).toEqual({ chainId: 126, nodeRole: "full_node", gitHash: "337fb7e" });
    expect(indexFromJson({ ...json, git_hash: "", encryption_key: null })).toMatchObject({ gitHash: null });
  });

  test("is read from BCS, whose numbers are text", () => {
    expect(indexFromBcs(bcs)).toEqual({ chainId: 126, nodeRole: "full_node", gitHash: null });
    for (let length = 0; length < bcs.length; length++) expect(() => indexFromBcs(bcs.subarray(0, length))).toThrow(AnswerFault);
  });

  test.each([{}, { ...json, chain_id: "126" }, { ...json, chain_id: 256 }, { ...json, ledger_version: 100 }])("refuses %j", (value) => {
    expect(() => indexFromJson(value)).toThrow(AnswerFault);
  });

  test("any bytes give an index or a fault", () => {
    expectOnlyErrors(AnswerFault, fc.uint8Array({ maxLength: 100 }), (bytes) => indexFromBcs(bytes));
  });
});

test("very many values and very deep ones are refused before they are parsed, and by their kind", () => {
  const many = Buffer.from(`[${"{},".repeat(nodeLimits.json.values)}{}]`);
  const deep = Buffer.from("[".repeat(1_000_000));
  expect(() => parseJsonBody(many, nodeLimits.json)).toThrow(expect.objectContaining({ kind: "too_large" }));
  expect(() => parseJsonBody(deep, nodeLimits.json)).toThrow(expect.objectContaining({ kind: "bad_answer" }));
});

const cafe = address("0xcafe");

function page(...entries: readonly (readonly [key: string, code: string])[]): Buffer {
  const parts = entries.flatMap(([key, code]) => [
    Buffer.of(key.length),
    Buffer.from(key),
    Buffer.of(code.length / 2),
    Buffer.from(code, "hex"),
  ]);
  return Buffer.concat([Buffer.of(entries.length), ...parts]);
}

describe("modulesFromBcs", () => {
  test("reads a page, in its order", () => {
    expect(modulesFromBcs(page(["0xcafe::b", "0102"], ["0xcafe::a", ""]), cafe, 100)).toEqual([
      { name: "b", bytecode: Buffer.from([1, 2]), abi: undefined },
      { name: "a", bytecode: Buffer.alloc(0), abi: undefined },
    ]);
    expect(modulesFromBcs(Buffer.of(0), cafe, 100)).toEqual([]);
  });

  test("takes the address in any of its spellings, and no other address", () => {
    expect(modulesFromBcs(page([`0x${"cafe".padStart(64, "0")}::a`, "01"]), cafe, 100)).toHaveLength(1);
    expect(() => modulesFromBcs(page(["0xcaff::a", "01"]), cafe, 100)).toThrow(AnswerFault);
  });

  test.each(["0xcafe", "0xcafe::", "::a", "0xcafe::a b", "0xcafe::\u001b[2J", "0xcafe::é", "0xcafe::../../../etc/passwd", "0xcafe::1a"])(
    "refuses a module called %j",
    (key) => {
      expect(() => modulesFromBcs(page([key, "01"]), cafe, 100)).toThrow(AnswerFault);
    },
  );

  test("a count that lies is refused before anything is read by it", () => {
    expect(() => modulesFromBcs(Buffer.from("ffffffff07", "hex"), cafe, 100)).toThrow(/2147483647 where at most 100 is allowed/);
    expect(() => modulesFromBcs(Buffer.from("01ffffffff07", "hex"), cafe, 100)).toThrow(AnswerFault);
    expect(() => modulesFromBcs(page(["0xcafe::a", "01"], ["0xcafe::b", "01"]), cafe, 1)).toThrow(AnswerFault);
  });

  test("refuses every cut, and bytes after the end", () => {
    const whole = page(["0xcafe::abc", "010203"], ["0xcafe::d", "04"]);
    for (let length = 0; length < whole.length; length++)
      expect(() => modulesFromBcs(whole.subarray(0, length), cafe, 100)).toThrow(AnswerFault);
    expect(() => modulesFromBcs(Buffer.concat([whole, Buffer.of(0)]), cafe, 100)).toThrow(AnswerFault);
  });

  test("any bytes give modules or a fault", () => {
    expectOnlyErrors(AnswerFault, fc.uint8Array({ maxLength: 300 }), (bytes) => modulesFromBcs(bytes, cafe, 100));
  });
});

describe("modulesFromJson", () => {
  test("reads records with an ABI, with null and without one", () => {
    const abi = { address: "0xcafe", name: "a" };
    expect(modulesFromJson([{ bytecode: "0x01", abi }, { bytecode: "0x", abi: null }, { bytecode: "0x02" }])).toEqual([
      { name: "a", bytecode: new Uint8Array([1]), abi },
      { name: undefined, bytecode: new Uint8Array(0), abi: null },
      { name: undefined, bytecode: new Uint8Array([2]), abi: null },
    ]);
  });

  test.each([
    null,
    {},
    [1],
    [{}],
    [{ bytecode: "01", abi: null }],
    [{ bytecode: "0x1", abi: null }],
    [{ bytecode: "0x01", abi: [] }],
    [{ bytecode: "0x01", abi: { name: 1 } }],
  ])("refuses %j", (json) => {
    expect(() => modulesFromJson(json)).toThrow(AnswerFault);
  });

  test("any JSON gives a module or a fault", () => {
    for (const read of [moduleFromJson, modulesFromJson]) expectOnlyErrors<unknown>(AnswerFault, fc.jsonValue(), read);
  });
});

test("a redirect names where it leads, if anywhere", () => {
  const to = (headers: Record<string, string>) =>
    errorAnswer({ status: 304, headers, body: new Uint8Array() } as never, undefined, 0).message;
  expect(to({ location: "/v1/" })).toBe("status 304, to another path of the same server");
  expect(to({})).toBe("status 304 without a place to ask instead: a cache before the node says that nothing changed");
});
