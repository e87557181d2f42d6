import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAbortCode, parseAbortMessage } from "../../../src/capabilities/explain/abort-message.ts";
import { holdsFor } from "../../support/property/law.ts";

const coin = { address: "0x1", name: "coin" };

describe("parseAbortMessage", () => {
  test.each([
    [
      "Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006): Not enough coins",
      { code: 65542n, module: coin, name: "EINSUFFICIENT_BALANCE" },
    ],
    ["Move abort in 0x1::coin: 0x10006", { code: 65542n, module: coin }],
    ["Transaction 0xabc failed: Move abort in 0x1::coin: code 65542", { code: 65542n, module: coin }],
    ["Move abort: code 0x7", { code: 7n }],
    ['{"vm_status":"Move abort in 0x1::coin: EX(0x1): text"}', { code: 1n, module: coin, name: "EX" }],
    ["MoveAbort { location: 0x1::coin, code: 65542, info: None }", { code: 65542n, module: coin }],
    [
      'MoveAbort { location: 0x1::coin, code: 65542, info: Some(AbortInfo { reason_name: "EFOO" }) }',
      { code: 65542n, module: coin, name: "EFOO" },
    ],
    ["status ABORTED of type Execution with sub status 65542 in 0x1::coin", { code: 65542n, module: coin }],
    [
      `status ABORTED sub_status: Some(65542), location: Module(ModuleId { address: ${"0".repeat(63)}1, name: Identifier("coin") })`,
      { code: 65542n, module: coin },
    ],
    ["abort 0x10006 in 0x1::coin", { code: 65542n, module: coin }],
    ["aborted with code 6 at 0x01::coin", { code: 6n, module: coin }],
    ["0x1::coin 0x10006", { code: 65542n, module: coin }],
    ["0x1::coin: EINSUFFICIENT_BALANCE(65542)", { code: 65542n, module: coin, name: "EINSUFFICIENT_BALANCE" }],
    // A failed unit test, as compilers frame it.
    [
      "│ 94 │   error::invalid_argument(EINVALID_TOKEN_ID)\n│    │   ^^^^^ Test was not expected to error, but it\n│    │   aborted with code 65545 " +
        `originating in the module ${"0".repeat(63)}1::nft rooted here`,
      { code: 65545n, module: { address: "0x1", name: "nft" } },
    ],
    [
      `Expected test to abort with code 3 originating in the module ${"0".repeat(61)}456::game but instead it aborted with code 65539 ` +
        `originating in the module ${"0".repeat(61)}457::other rooted here`,
      { code: 65539n, module: { address: "0x457", name: "other" } },
    ],
    [
      "ABORTED {\n    code: 42,\n    location: 2a1f::todolist,\n    message: Some(",
      { code: 42n, module: { address: "0x2a1f", name: "todolist" } },
    ],
    [
      '{\n  "Error": "API error: Simulated transaction failed with status Move abort in 0x1::util: 0x10001"\n}',
      { code: 65537n, module: { address: "0x1", name: "util" } },
    ],
    ["status ABORTED of type Execution with sub status 65542", { code: 65542n }],
    // The compiler of 2026 adds the category.
    [
      `it aborted with code 131073 (category: OUT_OF_RANGE, reason: 1) originating in the module ${"0".repeat(63)}1::coin rooted here`,
      { code: 131073n, module: coin },
    ],
    // The VM's own errors, in words and as Rust prints them.
    [
      `VMError with status ABORTED with sub status 2 at location Module ModuleId { address: ${"0".repeat(63)}1, name: Identifier("coin") } ` +
        "and message 0x2::other::publish at offset 62 at code offset 62 in function definition 25",
      { code: 2n, module: coin },
    ],
    [
      `VMError { major_status: ABORTED, sub_status: Some(5), message: Some("${"x".repeat(900)}"), exec_state: None, location: Script, indices: [] }`,
      { code: 5n, isScript: true },
    ],
    // Pairs and other spellings in JSON, pretty or not; chains of Cosmos.
    ['{"MoveAbort":["0x1::coin",65542]}', { code: 65542n, module: coin }],
    ['{"Keep": {\n "MoveAbort": [ {"Module": {"address": "0x1", "name": "coin"}}, "65542" ]\n}}', { code: 65542n, module: coin }],
    ['{"MoveAbort":["Script",5]}', { code: 5n, isScript: true }],
    ['{"MoveAbort":{"location":"0x1::coin","code":"65542"}}', { code: 65542n, module: coin }],
    ['"status": { "type": "moveabort", "location": "0x1::coin", "abort_code": "2" }', { code: 2n, module: coin }],
    [`VM aborted: location=${"0".repeat(63)}1::coin, code=65540`, { code: 65540n, module: coin }],
    // A multisig account's event.
    ['{"execution_error":{"abort_location":"0x1::coin","error_code":"65542","error_type":"MoveAbort"}}', { code: 65542n, module: coin }],
    ['ExecutionError { abort_location: "Script", error_type: "MoveAbort", error_code: 5 }', { code: 5n, isScript: true }],
    // The code first.
    ["65542 0x1::coin", { code: 65542n, module: coin }],
    ["0x10006 in 0x1::coin::withdraw", { code: 65542n, module: coin }],
    ["error code 65542 (0x10006) in module 0x1::coin", { code: 65542n, module: coin }],
    ["EINSUFFICIENT_BALANCE(0x10006) in 0x1::coin", { code: 65542n, module: coin, name: "EINSUFFICIENT_BALANCE" }],
    ["aborted with code 7", { code: 7n }],
  ])("reads %s", (text, expected) => {
    expect(parseAbortMessage(text)).toEqual(expected);
  });

  test.each([
    "",
    "Executed successfully",
    "Out of gas",
    "Execution failed in 0x1::coin::transfer at code offset 13",
    "0x1::coin",
    "Move abort: code 99999999999999999999",
    // Longer than a u64: no part of it is the code.
    "Move abort in 0x1::coin: 0x99999999999999999999999999",
    "Move abort in 0x1::coin: 655420000000000000000000001",
    "Move abort in script",
    '{"MoveAbort":["0x1::coin"]}',
    '{"abort_location":"","error_type":"VMValidationError","error_code":"4002"}',
    // The offset of an instruction is no abort code.
    `VMError { major_status: ARITHMETIC_ERROR, sub_status: None, location: Module(ModuleId { address: 1, name: Identifier("coin") }), offsets: [(FunctionDefinitionIndex(3), 17)] }`,
  ])("finds no abort in %j", (text) => {
    expect(parseAbortMessage(text)).toBeUndefined();
  });

  test("is quick and total, whatever it is given", async () => {
    const parts = ["abort in 0x1::", "location: ", "sub status ", "address: ", "name: Identifier(", "code: ", "0x1::coin"];
    const words = fc.constantFrom(...parts, " ", "1", "(");
    await holdsFor(200, [fc.array(fc.oneof(words, fc.string({ unit: "binary" })), { maxLength: 40 })], (parts) => {
      const found = parseAbortMessage(parts.join(""));
      if (found !== undefined) expect(found.code).toBeGreaterThanOrEqual(0n);
    });
    expect(parseAbortMessage("abort in 0x1::a".repeat(20_000))).toBeUndefined();
  });
});

test.each([
  ["7", 7n],
  ["0x10007", 65543n],
  ["18446744073709551615", 18446744073709551615n],
  ["18446744073709551616", undefined],
  ["-1", undefined],
  ["0x", undefined],
  ["1e3", undefined],
])("parseAbortCode reads %s as %s", (text, code) => {
  expect(parseAbortCode(text)).toBe(code);
});
