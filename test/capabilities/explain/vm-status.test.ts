import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findVmStatus, findVmStatusIn, vmStatuses } from "../../../src/capabilities/explain/vm-status.ts";
import { law } from "../../support/property/law.ts";

describe("vmStatuses", () => {
  test("are all different, in the order of their codes, each within the range of its kind", () => {
    const first = { validation: 0, verification: 1000, "invariant violation": 2000, deserialization: 3000, execution: 4000 };
    const codes = vmStatuses.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].sort((a, b) => a - b));
    expect(new Set(vmStatuses.map(({ name }) => name)).size).toBe(codes.length);
    for (const { code, name, meaning, kind } of vmStatuses) {
      expect(Math.floor(code / 1000) * 1000).toBe(first[kind.name as keyof typeof first]);
      expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
      expect(meaning).toMatch(/^[a-z`].*[^.]$/);
    }
  });

  // Values that appear in answers of real nodes (`vm_error_code`) and in public reports of them.
  test.each([
    [3, "SEQUENCE_NUMBER_TOO_OLD"],
    [6, "TRANSACTION_EXPIRED"],
    [1096, "BACKWARD_INCOMPATIBLE_MODULE_UPDATE"],
    [2017, "UNEXPECTED_VERIFIER_ERROR"],
    [4002, "OUT_OF_GAS"],
    [4016, "ABORTED"],
    [4017, "ARITHMETIC_ERROR"],
  ])("%i is %s", (code, name) => {
    expect(findVmStatus(code)?.name).toBe(name);
    expect(findVmStatus(name)?.code).toBe(code);
  });
});

describe("findVmStatusIn", () => {
  test.each([
    ["Out of gas", "OUT_OF_GAS"],
    [
      '{"message":"Invalid transaction: Type: Validation Code: TRANSACTION_EXPIRED","error_code":"vm_error","vm_error_code":6}',
      "TRANSACTION_EXPIRED",
    ],
    [
      "Test was not expected to error, but it gave a UNEXPECTED_VERIFIER_ERROR (code 2017) error originating in the module 0x1::m",
      "UNEXPECTED_VERIFIER_ERROR",
    ],
    ['but instead it gave an arithmetic error with error message: "Subtraction overflow".', "ARITHMETIC_ERROR"],
    ["status LINKER_ERROR of type Verification with message None", "LINKER_ERROR"],
    ["Move bytecode deserialization / verification failed, including entry function not found or invalid arguments", "MISCELLANEOUS_ERROR"],
    [
      "Move bytecode deserialization / verification failed, including script function not found or invalid arguments",
      "MISCELLANEOUS_ERROR",
    ],
    ["Execution failed with miscellaneous error and no status code", "MISCELLANEOUS_ERROR"],
    ["MISCELLANEOUS_ERROR", "MISCELLANEOUS_ERROR"],
    ["Keep(MiscellaneousError(None))", "MISCELLANEOUS_ERROR"],
    ["Keep(MiscellaneousError(Some(LINKER_ERROR)))", "LINKER_ERROR"],
    // No other status is named, so this is all that is known.
    ["Move abort in script", "ABORTED"],
    ['{"message":"VMError with status ABORTED at location Module dex","error_code":"invalid_input","vm_error_code":4016}', "ABORTED"],
    ["ABORTED: LINKER_ERROR", "LINKER_ERROR"],
    ['{"message":"the account has moved on","error_code":"vm_error","vm_error_code":3}', "SEQUENCE_NUMBER_TOO_OLD"],
    ["DELAYED_MATERIALIZATION_CODE_INVARIANT_ERROR", "DELAYED_FIELD_OR_BLOCKSTM_CODE_INVARIANT_ERROR"],
  ])("finds the status in %j", (text, name) => {
    expect(findVmStatusIn(text)?.name).toBe(name);
  });

  test.each(["", '"vm_error_code": 99', "Executed successfully", "EINSUFFICIENT_BALANCE", "out_of_gas"])("finds none in %j", (text) => {
    expect(findVmStatusIn(text)).toBeUndefined();
  });

  law("is total", 100, [fc.string({ unit: "binary", maxLength: 200 })], (text) => void findVmStatusIn(text));
});
