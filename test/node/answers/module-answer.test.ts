import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { moduleFromJson, modulesFromBcs, modulesFromJson } from "../../../src/core/node/answers/module-answer.ts";
import { AnswerFault } from "../../../src/core/node/protocol/node-error.ts";
import { expectOnlyErrors } from "../../support/mutate.ts";
import { address } from "../small-ledger.ts";

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
