import { describe, expect, test } from "vitest";
import { metadataEntries } from "../../../sim/module-writer/module-metadata.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { DecodeError } from "../../../src/core/move/decode-error.ts";
import { readCompilation, readMetadata } from "../../../src/core/move/module/metadata.ts";
import { readBytecodeVersion, readSelfId } from "../../../src/core/move/module/self-id.ts";
import { arbitraryModule } from "../../support/arbitrary-module.ts";
import { handmade, nameRow, row } from "../../support/handmade.ts";
import { mutate, randomBelow } from "../../support/mutate.ts";
import { law } from "../../support/property/law.ts";
import { verdict } from "../../support/vm/verdict.ts";

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

describe("readSelfId", () => {
  test("names a module of a version that nobody knows yet", () => {
    const bytes = writeModule({ version: 42, address: "0xcafe", name: "future", dependencies: ["0x1::other"], functions: [{ name: "f" }] });
    expect(readSelfId(bytes)).toEqual({ address: "0xcafe", name: "future" });
    expect(readBytecodeVersion(bytes)).toBe(42);
  });

  test("names a module whose name is longer than nodes allow today", () => {
    const name = "n".repeat(1000);
    expect(readSelfId(handmade(6, { identifiers: [nameRow(name)] }))?.name).toBe(name);
  });

  law("finds the module's own handle among others", 50, [arbitraryModule(7)], (spec) => {
    expect(readSelfId(writeModule(spec))).toEqual({ address: spec.address, name: spec.name });
  });

  test("gives nothing for bytes that do not say, and never throws", () => {
    const bytes = writeModule({ version: 10, address: "0xcafe", name: "m", dependencies: ["0x1::other"] });
    const random = randomBelow(3);
    for (let length = 0; length < bytes.length; length++) expect(readSelfId(bytes.subarray(0, length))).toBeUndefined();
    for (let i = 0; i < 5000; i++) readSelfId(mutate(bytes, random));
    expect(readSelfId(handmade(6, { identifiers: [nameRow("a\u001b[2J")] }))).toBeUndefined();
    expect(readBytecodeVersion(Uint8Array.of(0xa1, 0x1c, 0xeb, 0x0b, 1))).toBeUndefined();
  });
});

const ROWS_MAX = 65_536;
const repeat = (count: number, bytes: Uint8Array): Uint8Array[] => new Array<Uint8Array>(count).fill(bytes);

/** The error that decoding gives. */
function refusal(bytes: Uint8Array): { code: string; problem: string; offset: number } {
  try {
    decodeModule(bytes);
  } catch (error) {
    if (error instanceof DecodeError) return { code: error.code, problem: error.facts["problem"] as string, offset: error.offset };
    throw error;
  }
  return expect.fail("it was decoded");
}

describe("a module", () => {
  test("of more bytes than a chain stores in one item is refused before its tables are read", () => {
    const bytes = handmade(6, { signatures: [new Uint8Array(5_000_000)] });
    expect(refusal(bytes)).toEqual({
      code: "MOVEDEX_DECODE_LIMIT",
      problem: `${bytes.length} bytes, and a module has at most 1048576`,
      offset: 0,
    });
  });

  test("of a newer version is unsupported, whatever its size", () => {
    expect(refusal(handmade(11, { signatures: [new Uint8Array(2_000_000)] })).code).toBe("MOVEDEX_DECODE_UNSUPPORTED_VERSION");
  });

  test.each<[string, Parameters<typeof handmade>[1]]>([
    ["signatures", { signatures: repeat(ROWS_MAX, row(0)) }],
    ["friends", { friends: repeat(ROWS_MAX, row(0, 0)) }],
    ["moduleHandles", { moduleHandles: repeat(ROWS_MAX, row(0, 0)) }],
    ["structHandles", { structHandles: repeat(ROWS_MAX, row(0, 0, 0, 0)) }],
    ["constants", { constants: repeat(ROWS_MAX, row(2, 0)) }],
    ["metadata", { metadata: repeat(ROWS_MAX, row(0, 0)) }],
    ["identifiers", { identifiers: [nameRow("M"), ...repeat(ROWS_MAX - 1, nameRow("a"))] }],
  ])("has at most 65,536 rows of %s", (name, rows = {}) => {
    expect(verdict(handmade(6, rows))).toBe("accepted");
    const table = rows[name as keyof typeof rows] as Uint8Array[];
    const more = handmade(6, { ...rows, [name]: [...table, table.at(-1) as Uint8Array] });
    expect(refusal(more)).toMatchObject({ code: "MOVEDEX_DECODE_LIMIT", problem: "a table has more than 65536 rows" });
  });

  test("counts the names of friends and dependencies as part of its interface", () => {
    const named = (count: number) =>
      handmade(6, { identifiers: [nameRow("M"), nameRow("a".repeat(255))], moduleHandles: [row(0, 0), ...repeat(count, row(0, 1))] });
    expect(verdict(named(15_000))).toBe("accepted");
    expect(refusal(named(20_000))).toMatchObject({
      code: "MOVEDEX_DECODE_LIMIT",
      problem: "its interface has more than 4194304 characters",
    });
  });
});
