import { describe, expect, test } from "vitest";
import type { AttributeSpec, FieldsSpec, ModuleSpec, TypeSpec } from "../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../sim/module-writer/module-writer.ts";
import { decodeModule, INTERFACE_SIZE_MAX } from "../../src/core/abi/decode.ts";
import type { FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi } from "../../src/core/abi/model.ts";
import { parseAddress } from "../../src/core/move/address.ts";
import type { Ability, MoveType } from "../../src/core/move/types/make-type.ts";
import { parseType } from "../../src/core/move/types/parse-type.ts";
import { arbitraryModule, arbitraryVersion } from "../support/arbitrary-module.ts";
import { law } from "../support/property/law.ts";

describe("decodeModule", () => {
  law("gives back what was written, in every version", 300, [arbitraryVersion.chain(arbitraryModule)], (spec) => {
    const decoded = decodeModule(writeModule(spec));
    expect(decoded.bytecodeVersion).toBe(spec.version);
    const { dependencies: _, ...abi } = decoded.abi;
    expect(abi).toEqual(abiOf(spec));
    const marked = (spec.functions ?? []).filter(({ marks }) => (marks ?? []).length > 0);
    expect([...decoded.functionMarks]).toEqual(marked.map(({ name, marks }) => [name, marks]));
  });

  test("refuses an interface that repeats itself into fifty megabytes", () => {
    const name = "N".repeat(250);
    const fields = Array.from({ length: 250 }, () => `0x${"f".repeat(64)}::${name}::${name}`);
    const functions = Array.from({ length: 200 }, (_, i) => ({ name: `f${i}`, native: true, params: fields, returns: fields }));
    const bytes = writeModule({ address: "0x1", name: "m", functions });
    expect(bytes.length).toBeLessThan(10_000);
    expect(() => decodeModule(bytes)).toThrow(
      expect.objectContaining({ code: "MOVEDEX_DECODE_LIMIT", message: "module: its interface has more than 4194304 characters" }),
    );
    expect(INTERFACE_SIZE_MAX).toBe(4_194_304);
  });

  test("keeps nothing of the bytes that it was given", () => {
    const held = { address: "0xcafe", name: "m", functions: [{ name: "f" }], errors: [{ code: 7n, name: "E", description: "why" }] };
    const bytes = writeModule(held);
    const { abi } = decodeModule(bytes);
    bytes.fill(0);
    expect(abi).toMatchObject(held);
  });
});

/** The ABI that a written module should have, straight from its specification. */
function abiOf(spec: ModuleSpec): Omit<ModuleAbi, "dependencies"> {
  return {
    address: addressOf(spec.address),
    name: spec.name,
    friends: (spec.friends ?? []).map((id) => ({ address: addressOf(id.split("::")[0] as string), name: id.split("::")[1] as string })),
    functions: (spec.functions ?? []).map((fn): FunctionAbi => {
      const attributes = attributesOf(spec, fn.attributes);
      return {
        name: fn.name,
        visibility: fn.visibility ?? "private",
        isEntry: fn.entry ?? false,
        isView: attributes.some(({ kind }) => kind <= 1),
        isNative: fn.native ?? false,
        typeParams: (fn.typeParams ?? []).map(typeParameterOf),
        params: (fn.params ?? []).map(typeOf),
        returns: (fn.returns ?? []).map(typeOf),
        acquires: fn.acquires ?? [],
        attributes,
      };
    }),
    structs: (spec.structs ?? []).map((struct): StructAbi => {
      const attributes = attributesOf(spec, struct.attributes);
      return {
        name: struct.name,
        isNative: struct.native ?? false,
        isEvent: attributes.some(({ kind }) => kind === 4),
        isEnum: struct.variants !== undefined,
        abilities: struct.abilities ?? [],
        typeParams: (struct.typeParams ?? []).map(typeParameterOf),
        fields: fieldsOf(struct.fields),
        variants: (struct.variants ?? []).map(({ name, fields }) => ({ name, fields: fieldsOf(fields) })),
        attributes,
      };
    }),
    errors: [...(spec.errors ?? [])]
      .map(({ code, name, description }) => ({ code: BigInt(code), name, description }))
      .sort((a, b) => Buffer.compare(littleEndian(a.code), littleEndian(b.code))),
  };
}

function attributesOf(spec: ModuleSpec, attributes: readonly AttributeSpec[] = []): { kind: number; args: readonly string[] }[] {
  return spec.version === 5 ? [] : attributes.map(({ kind, args }) => ({ kind, args: args ?? [] }));
}

function fieldsOf(fields: FieldsSpec = []): FieldAbi[] {
  return fields.map(([name, type]) => ({ name, type: typeOf(type) }));
}

function typeOf(type: TypeSpec): MoveType {
  return typeof type === "string" ? parseType(type) : type;
}

function typeParameterOf(words: string): TypeParameterAbi {
  const constraints = (["copy", "drop", "store", "key"] as Ability[]).filter((ability) => words.includes(ability));
  return { constraints, isPhantom: words.includes("phantom") };
}

function addressOf(text: string): ModuleAbi["address"] {
  return parseAddress(text) ?? expect.fail(text);
}

function littleEndian(code: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(code);
  return bytes;
}
