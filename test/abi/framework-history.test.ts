import { describe, expect, test } from "vitest";
import { type DecodedModule, decodeModule } from "../../src/core/abi/decode.ts";
import { formatNodeAbi, formatNodeFunction } from "../../src/core/abi/node-json/format.ts";
import { parseNodeAbi } from "../../src/core/abi/node-json/parse.ts";
import { readSelfId } from "../../src/core/move/module/self-id.ts";
import type { ModuleId } from "../../src/core/move/module-id.ts";
import { parseType } from "../../src/core/move/types/parse-type.ts";
import type { RecordedModule } from "../support/expected-views.ts";
import { frameworkHistory } from "../support/shared-data.ts";
import { readExpectedAbis } from "./support/expected-abis.ts";

const expectations = (frameworkHistory === undefined ? [] : readExpectedAbis(frameworkHistory)).map((one) => ({
  ...one,
  decoded: decodeModule(one.bytes),
}));

describe.skipIf(frameworkHistory === undefined)("the 1,889 modules of the framework history (skipped where they are not there)", () => {
  test("are all there", () => expect(expectations.length).toBe(1889));

  test("give the node's ABI and its version, to the letter and in the node's order", () => {
    for (const { expected, decoded } of expectations) {
      expect(decoded.bytecodeVersion).toBe(expected.bytecode_version);
      if (JSON.stringify(formatNodeAbi(decoded.abi)) !== JSON.stringify(expected.abi)) {
        expect({ sha256: expected.sha256, abi: formatNodeAbi(decoded.abi) }).toEqual({ sha256: expected.sha256, abi: expected.abi });
      }
    }
  });

  test("give what the node's ABI leaves out", () => {
    for (const { expected, decoded } of expectations) {
      const { sha256, dependencies, private_functions, native_functions, phantom_type_params, resource_groups, errors } = expected;
      const found = leftOut(decoded);
      const wanted = { dependencies, private_functions, native_functions, phantom_type_params, resource_groups, errors };
      if (JSON.stringify(found) !== JSON.stringify(wanted)) expect({ sha256, ...found }).toEqual({ sha256, ...wanted });
    }
  });

  test("say their own name without being decoded", () => {
    for (const { expected, bytes } of expectations) {
      const { address, name } = expected.abi;
      expect(readSelfId(bytes)).toEqual({ address, name });
    }
  });

  test("come back the same from the node's JSON", () => {
    for (const { expected } of expectations) {
      expect(JSON.stringify(formatNodeAbi(parseNodeAbi(expected.abi)))).toBe(JSON.stringify(expected.abi));
    }
  });

  test("have no type whose text cannot be taken apart", () => {
    const texts = new Set(expectations.flatMap(({ decoded }) => decoded.abi.functions.flatMap((fn) => fn.params.map(({ text }) => text))));
    expect([...texts].filter((text) => parseType(text).kind === "unknown")).toEqual([]);
  });
});

function leftOut({ abi }: DecodedModule): Omit<RecordedModule, "sha256" | "bytecode_version" | "abi"> {
  const formatId = ({ address, name }: ModuleId) => `${address}::${name}`;
  const hidden = abi.functions.filter((fn) => fn.visibility === "private" && !fn.isEntry && !fn.isView);
  const phantom = abi.structs.filter(({ typeParams }) => typeParams.some(({ isPhantom }) => isPhantom));
  const attributed = abi.structs.filter(({ attributes }) => attributes.length > 0);
  return {
    dependencies: abi.dependencies.map(formatId),
    private_functions: hidden.map(formatNodeFunction),
    native_functions: abi.functions.filter(({ isNative }) => isNative).map(({ name }) => name),
    phantom_type_params: Object.fromEntries(phantom.map(({ name, typeParams }) => [name, typeParams.map(({ isPhantom }) => isPhantom)])),
    resource_groups: Object.fromEntries(attributed.map(({ name, attributes }) => [name, attributes.map(({ kind, args }) => [kind, args])])),
    errors: Object.fromEntries(abi.errors.map(({ code, name, description }) => [code.toString(), [name, description]])),
  };
}
