import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ComparedModule } from "../../../../src/capabilities/changes/compare/functions.ts";
import { compareModules } from "../../../../src/capabilities/changes/compare/modules.ts";
import type { FunctionAbi, ModuleAbi, StructAbi } from "../../../../src/core/abi/model.ts";
import { type Address, parseAddress } from "../../../../src/core/move/address.ts";
import type { Ability, MoveType } from "../../../../src/core/move/types/make-type.ts";
import {
  functionType,
  parameterType,
  plainStructType,
  primitiveType,
  referenceType,
  vectorType,
} from "../../../../src/core/move/types/make-type.ts";
import { holdsFor, law } from "../../../support/property/law.ts";
import { refusals } from "../../../support/vm/vm-compatibility.ts";

const address = parseAddress("0x2") as Address;
const u64 = primitiveType("u64");
const types: readonly MoveType[] = [
  u64,
  primitiveType("bool"),
  primitiveType("signer"),
  referenceType(false, primitiveType("signer")),
  referenceType(true, u64),
  vectorType(u64),
  parameterType(0),
  plainStructType({ address, name: "m" }, "a"),
  plainStructType({ address, name: "n" }, "a"),
  functionType([], [u64], [u64]),
  functionType(["copy"], [u64], [u64]),
];
const names = fc.constantFrom("a", "b", "c");
const type = fc.constantFrom(...types);
const abilities = fc.subarray<Ability>(["copy", "drop", "store", "key"]);
const typeParams = fc.array(fc.record({ constraints: abilities, isPhantom: fc.boolean() }), { maxLength: 2 });
const fields = fc.uniqueArray(fc.record({ name: names, type }), { selector: ({ name }) => name, maxLength: 3 });
const attributes = (...kinds: number[]) =>
  fc.uniqueArray(
    fc
      .constantFrom(...kinds)
      .chain((kind) => fc.record({ kind: fc.constant(kind), args: fc.constantFrom(["global"], ["module_"], ["address"]) })),
    { selector: ({ kind }) => kind, maxLength: 2 },
  );

const fn = fc
  .record({
    name: names,
    visibility: fc.constantFrom("private", "friend", "public"),
    isEntry: fc.boolean(),
    isNative: fc.boolean(),
    typeParams: typeParams.map((params) => params.map((param) => ({ ...param, isPhantom: false }))),
    params: fc.array(type, { maxLength: 2 }),
    returns: fc.array(type, { maxLength: 2 }),
    acquires: fc.subarray(["a", "b"]),
    attributes: attributes(1, 5),
  })
  .map((made): FunctionAbi => ({ ...made, isView: made.attributes.some(({ kind }) => kind === 1) }));

const struct = fc
  .record({
    name: names,
    form: fc.constantFrom("struct", "enum"),
    abilities,
    typeParams,
    fields,
    variants: fc.uniqueArray(fc.record({ name: names, fields }), { selector: ({ name }) => name, minLength: 1, maxLength: 3 }),
    attributes: attributes(2, 3, 4),
  })
  .map(
    ({ form, ...made }): StructAbi => ({
      ...made,
      isNative: false,
      isEnum: form === "enum",
      isEvent: made.attributes.some(({ kind }) => kind === 4),
      fields: form === "enum" ? [] : made.fields,
      variants: form === "enum" ? made.variants : [],
    }),
  );

const named = <T extends { readonly name: string }>(item: fc.Arbitrary<T>) =>
  fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 3 });
const ids = fc.uniqueArray(names, { maxLength: 2 }).map((list) => list.map((name) => ({ address, name })));
const module: fc.Arbitrary<ComparedModule & { readonly bytecodeVersion: number }> = fc
  .record({
    functions: named(fn),
    structs: named(struct),
    friends: ids,
    dependencies: ids,
    errors: fc.uniqueArray(fc.record({ code: fc.bigInt(0n, 3n), name: names, description: fc.constantFrom("", "x") }), {
      selector: ({ code }) => code,
      maxLength: 3,
    }),
    marked: fc.subarray(["a", "b", "c"]),
    locked: fc.subarray(["a", "b", "c"]),
  })
  .map(({ marked, locked, ...parts }) => ({
    abi: { address, name: "m", ...parts } satisfies ModuleAbi,
    bytecodeVersion: 8,
    functionMarks: new Map(
      ["a", "b", "c"].map((name) => [
        name,
        [...(marked.includes(name) ? [{ name: "persistent" }] : []), ...(locked.includes(name) ? [{ name: "module_lock" }] : [])],
      ]),
    ),
  }));

/** Two modules, more alike than two that were made apart: each part of the second is often that of the first. */
const pair = fc.tuple(module, module, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 })).map(([before, other, keep]) => {
  const pick = <T>(i: number, old: T, now: T): T => (keep[i] ? old : now);
  const abi: ModuleAbi = {
    ...other.abi,
    functions: pick(0, before.abi.functions, other.abi.functions),
    structs: pick(1, before.abi.structs, other.abi.structs),
    friends: pick(2, before.abi.friends, other.abi.friends),
    dependencies: pick(3, before.abi.dependencies, other.abi.dependencies),
    errors: pick(4, before.abi.errors, other.abi.errors),
  };
  return [before, { ...other, abi, functionMarks: pick(5, before.functionMarks, other.functionMarks) }] as const;
});

describe("compareModules", () => {
  law("finds nothing between a module and itself", 100, [module], (same) => {
    expect(compareModules(same, same)).toEqual([]);
  });

  test("says that the VM refuses an upgrade exactly when its own check does", async () => {
    const ofAttributes = new Set(["event-removed", "resource-group-changed", "resource-group-member-changed"]);
    await holdsFor(1200, [pair], ([before, after]) => {
      const found = compareModules(before, after).filter(({ upgrade, rule }) => upgrade === "refused" && !ofAttributes.has(rule));
      const reasons = refusals(before, after);
      expect({ reasons, refused: found.length > 0 }).toEqual({ reasons, refused: reasons.length > 0 });
    });
  });
});
