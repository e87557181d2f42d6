import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { formatNodeAbi, type NodeGeneration } from "../../../src/core/abi/node-json/format.ts";
import { parseNodeAbi } from "../../../src/core/abi/node-json/parse.ts";
import { DecodeError } from "../../../src/core/move/decode-error.ts";
import { arbitraryModule, arbitraryVersion } from "../../support/arbitrary-module.ts";
import { expectOnlyErrors } from "../../support/mutate.ts";
import { holdsFor } from "../../support/property/law.ts";

const fn = { name: "f", visibility: "public", is_entry: true, is_view: false, params: ["T0"], return: ["u8"] };
const generics = { generic_type_params: [{ constraints: ["key"] }] };
const struct = { name: "E", is_native: false, is_event: true, is_enum: true, abilities: ["drop"], generic_type_params: [], fields: [] };
const sample = {
  address: "0x2",
  name: "m",
  friends: ["0x1::f"],
  exposed_functions: [{ ...fn, ...generics }],
  structs: [{ ...struct, variants: [{ name: "V", fields: [{ name: "x", type: "u8" }] }] }],
};

describe("parseNodeAbi", () => {
  test("gives back what a node of any generation prints", async () => {
    const generation = fc.constantFrom<NodeGeneration>("A", "B", "C", "D");
    await holdsFor(100, [arbitraryVersion.chain(arbitraryModule), generation], (spec, printed) => {
      const json = formatNodeAbi(decodeModule(writeModule(spec)).abi, printed);
      expect(formatNodeAbi(parseNodeAbi(JSON.parse(JSON.stringify(json))), printed)).toEqual(json);
    });
  });

  test("takes fields that older nodes leave out for false or empty, and ignores unknown ones", () => {
    const { is_event: _, is_enum: __, variants: ___, ...old } = sample.structs[0] ?? expect.fail();
    const abi = parseNodeAbi({ ...sample, structs: [{ ...old, later: 1 }], later: [] });
    expect(abi.structs[0]).toMatchObject({ isEvent: false, isEnum: false, variants: [], attributes: [] });
    expect(abi).toMatchObject({ dependencies: [], errors: [] });
  });

  test("keeps types that it cannot take apart as they came", () => {
    const abi = parseNodeAbi({ ...sample, exposed_functions: [{ ...sample.exposed_functions[0], params: ["future<u8>"] }] });
    expect(abi.functions[0]?.params).toEqual([{ kind: "unknown", text: "future<u8>" }]);
  });

  test.each([
    [null, "abi is not an object"],
    [[], "abi is not an object"],
    [{ ...sample, address: "0xg" }, "abi is not an address and a module's name"],
    [{ ...sample, name: 7 }, "abi.name is not a text"],
    [{ ...sample, structs: [{ ...sample.structs[0], name: "a\0b" }] }, "abi.structs[0].name is not a text"],
    [{ ...sample, structs: [{ ...sample.structs[0], name: "\ud83d" }] }, "abi.structs[0].name is not a text"],
    [{ ...sample, friends: ["0x1"] }, "abi.friends[0] is not an address and a module's name"],
    [{ ...sample, exposed_functions: {} }, "abi.exposed_functions is not a list"],
    [
      { ...sample, exposed_functions: [{ ...sample.exposed_functions[0], visibility: "script" }] },
      "visibility is not `private`, `public` or `friend`",
    ],
    [{ ...sample, exposed_functions: [{ ...sample.exposed_functions[0], is_entry: "no" }] }, "is_entry is not true or false"],
    [{ ...sample, structs: [{ ...sample.structs[0], abilities: ["fly"] }] }, "abi.structs[0].abilities[0] is not an ability"],
    [{ ...sample, structs: [{ ...sample.structs[0], fields: [{ name: "x" }] }] }, "abi.structs[0].fields[0].type is not a text"],
  ])("refuses what is of another kind: %#", (json, problem) => {
    expect(() => parseNodeAbi(json)).toThrow(
      expect.objectContaining({ code: "MOVEDEX_DECODE_MALFORMED", message: expect.stringContaining(problem) as string }),
    );
  });

  test("lets nothing but DecodeError out, whatever the JSON", () => {
    const key = fc.constantFrom("address", "name", "friends", "exposed_functions", "structs", "__proto__");
    expectOnlyErrors(DecodeError, fc.dictionary(key, fc.jsonValue()), (json) => parseNodeAbi({ ...sample, ...json }), { numRuns: 500 });
  });
});
