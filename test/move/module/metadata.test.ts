import { describe, expect, test } from "vitest";
import { metadataEntries } from "../../../sim/module-writer/module-metadata.ts";
import { readCompilation, readMetadata } from "../../../src/core/move/module/metadata.ts";

const spec = {
  errors: [{ code: 65_537n, name: "E_NO", description: "nö" }],
  structs: [{ name: "S", attributes: [{ kind: 2, args: ["global"] }] }],
  functions: [{ name: "f", attributes: [{ kind: 1 }, { kind: 99, args: ["later"] }] }, { name: "g" }],
};
const errors = new Map([[65_537n, { code_name: "E_NO", code_description: "nö" }]]);
const nothing = { errors: new Map(), structAttributes: new Map(), functionAttributes: new Map() };
const everything = {
  errors,
  structAttributes: new Map([["S", [{ kind: 2, args: ["global"] }]]]),
  functionAttributes: new Map([
    [
      "f",
      [
        { kind: 1, args: [] },
        { kind: 99, args: ["later"] },
      ],
    ],
  ]),
};

describe("readMetadata", () => {
  test("reads errors and attributes, kinds of later nodes included", () => {
    expect(readMetadata(metadataEntries(spec, 6), 6)).toEqual(everything);
  });

  test("ignores the attributes, not the errors, of version 5", () => {
    expect(readMetadata(metadataEntries(spec, 5), 5)).toEqual({ ...nothing, errors });
  });

  test("reads the older layout, which has errors alone", () => {
    expect(readMetadata(metadataEntries({ ...spec, metadata: "v0" }, 6), 6)).toEqual({ ...nothing, errors });
  });

  test("prefers the newer layout, even when it does not decode", () => {
    const both = [...metadataEntries({ ...spec, metadata: "v0" }, 6), ...metadataEntries(spec, 6)];
    expect(readMetadata(both, 6)).toEqual(everything);
    const broken = [...metadataEntries({ ...spec, metadata: "v0" }, 6), { key: "aptos::metadata_v1", value: Uint8Array.of(9) }];
    expect(readMetadata(broken, 6)).toEqual(nothing);
  });

  test("finds a fork's key, after the chain's own", () => {
    const fork = metadataEntries({ ...spec, metadataPrefix: "lumio" }, 6);
    expect(readMetadata(fork, 6)).toEqual(everything);
    const empty = { key: "aptos::metadata_v1", value: Uint8Array.of(0, 0, 0) };
    expect(readMetadata([...fork, empty], 6)).toEqual(nothing);
  });

  test("is empty when the value is cut, or the metadata is not there", () => {
    const [entry] = metadataEntries(spec, 6);
    const value = entry?.value ?? expect.fail();
    for (let length = 0; length < value.length; length++) {
      expect(readMetadata([{ key: "aptos::metadata_v1", value: value.subarray(0, length) }], 6)).toEqual(nothing);
    }
    expect(readMetadata([], 6)).toEqual(nothing);
  });
});

test("readCompilation says which compiler made the module, or nothing", () => {
  const compilation = { unstable: true, compiler_version: "2.0", language_version: "2.1" };
  expect(readCompilation(metadataEntries({ compilation }, 7))).toEqual(compilation);
  expect(readCompilation([{ key: "compilation_metadata", value: Uint8Array.of(2) }])).toBeUndefined();
  expect(readCompilation([])).toBeUndefined();
});
