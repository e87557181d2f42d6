import fc from "fast-check";
import { expect, test } from "vitest";
import { formatNodeAbi } from "../../../src/core/abi/node-json/format.ts";
import { parseNodeAbi } from "../../../src/core/abi/node-json/parse.ts";
import { faceDigest } from "../../../src/core/db/archive/content/abi-rows.ts";

// Few values, so that faces differ in little; and names that no bytecode has, but a node's JSON may: they could end a line.
const name = fc.constantFrom("a", "b", "a\npublic", '"a\\npublic"', "struct");
const type = fc.constantFrom("u64", "&signer", "vector<T0>", "0x1::m::S<u8, T0>");
const abilities = fc.constantFrom<string[]>([], ["copy"], ["drop", "store"]);
const typeParams = fc.array(
  abilities.map((constraints) => ({ constraints })),
  { maxLength: 2 },
);
const fields = fc.array(fc.record({ name, type }), { maxLength: 2 });
const face = fc.record({
  address: fc.constantFrom("0x1", "0x2"),
  name,
  friends: fc.array(fc.constantFrom("0x1::m", "0x2::m"), { maxLength: 2 }),
  exposed_functions: fc.array(
    fc.record({
      name,
      visibility: fc.constantFrom("public", "friend"),
      is_entry: fc.boolean(),
      is_view: fc.boolean(),
      generic_type_params: typeParams,
      params: fc.array(type, { maxLength: 2 }),
      return: fc.array(type, { maxLength: 1 }),
    }),
    { maxLength: 2 },
  ),
  structs: fc.array(
    fc.record({ name, is_native: fc.boolean(), is_event: fc.boolean(), abilities, generic_type_params: typeParams, fields }),
    { maxLength: 2 },
  ),
});

test("two faces have one digest if and only if a node prints them alike", () => {
  fc.assert(
    fc.property(fc.array(face, { minLength: 20, maxLength: 40 }), (faces) => {
      const abis = faces.map((json) => parseNodeAbi(json));
      const printed = abis.map((abi) => JSON.stringify(formatNodeAbi(abi)));
      const digests = abis.map((abi) => faceDigest(abi));
      expect(new Set(digests).size).toBe(new Set(printed).size);
      expect(new Set(digests.map((digest, i) => digest + printed[i])).size).toBe(new Set(printed).size);
    }),
  );
});
