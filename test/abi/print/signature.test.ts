import { describe, expect, test } from "vitest";
import type { FunctionSpec } from "../../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { decodeModule } from "../../../src/abi/decode.ts";
import { formatSignature } from "../../../src/abi/print/signature.ts";
import { functionType, primitiveType } from "../../../src/move/types/make-type.ts";

const u8 = primitiveType("u8");
const signature = (fn: Omit<FunctionSpec, "name">) =>
  decodeModule(writeModule({ version: 8, address: "0x1", name: "m", functions: [{ name: "f", ...fn }] })).abi.functions.map(
    formatSignature,
  )[0];

describe("formatSignature", () => {
  test.each<[Omit<FunctionSpec, "name">, string]>([
    [{}, "fun f()"],
    [{ entry: true }, "entry fun f()"],
    [{ visibility: "friend" }, "public(friend) fun f()"],
    [{ visibility: "public", native: true, returns: ["u64"] }, "public native fun f(): u64"],
    [
      { visibility: "public", entry: true, typeParams: ["key + store", ""], params: ["&signer", "address", "T1"], returns: ["bool", "T0"] },
      "public entry fun f<T0: store + key, T1>(&signer, address, T1): (bool, T0)",
    ],
    [{ params: [functionType(["copy"], [u8], [u8, u8])] }, "fun f(|u8|(u8, u8) has copy)"],
  ])("writes a function as Move's people do: %#", (fn, text) => {
    expect(signature(fn)).toBe(text);
  });
});
