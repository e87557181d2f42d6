import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ComparedModule, compareModules } from "../../../src/abi/compare/modules.ts";
import { rules } from "../../../src/abi/compare/rules/rules.ts";
import { worstSeverity } from "../../../src/abi/compare/severity.ts";
import type { FunctionAbi, ModuleAbi, StructAbi } from "../../../src/abi/model.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import type { Ability, MoveType } from "../../../src/move/types/make-type.ts";
import {
  functionType,
  parameterType,
  plainStructType,
  primitiveType,
  referenceType,
  vectorType,
} from "../../../src/move/types/make-type.ts";
import { refusals } from "../../support/vm/vm-compatibility.ts";

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
  test("finds nothing between a module and itself", () => {
    fc.assert(
      fc.property(module, (same) => {
        expect(compareModules(same, same)).toEqual([]);
      }),
    );
  });

  test("says that the VM refuses an upgrade exactly when its own check does", () => {
    const ofAttributes = new Set(["event-removed", "resource-group-changed", "resource-group-member-changed"]);
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const found = compareModules(before, after).filter(({ upgrade, rule }) => upgrade === "refused" && !ofAttributes.has(rule));
        const reasons = refusals(before, after);
        expect({ reasons, refused: found.length > 0 }).toEqual({ reasons, refused: reasons.length > 0 });
      }),
      { numRuns: 1200 },
    );
  });

  test("finds something whenever the two differ in more than order", () => {
    const asText = ({ abi, functionMarks }: ComparedModule): string => {
      const sorted = <T extends { readonly name: string }>(list: readonly T[]) => list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const shown = abi.functions.map(({ name }) => name);
      return JSON.stringify(
        {
          ...abi,
          functions: sorted(abi.functions).map((item) => ({ ...item, attributes: sortedKinds(item.attributes) })),
          structs: sorted(abi.structs).map((item) => ({ ...item, attributes: sortedKinds(item.attributes) })),
          friends: sorted(abi.friends),
          dependencies: sorted(abi.dependencies),
          errors: abi.errors.toSorted((a, b) => Number(a.code - b.code)),
          locked: shown.filter((name) => isExposed(abi, functionMarks, name) && has(functionMarks, name, "module_lock")).sort(),
        },
        (_, value) => (typeof value === "bigint" ? `${value}` : value),
      );
    };
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const isSame = asText(before) === asText(after);
        if (compareModules(before, after).length === 0) expect(isSame, `${asText(before)}\n${asText(after)}`).toBe(true);
      }),
      { numRuns: 800 },
    );
  });

  test("gives each finding a severity, a witness and the audiences of its rule", () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        for (const finding of compareModules(before, after)) {
          expect(worstSeverity(finding.severity)).toBeDefined();
          expect(finding.before !== finding.after).toBe(true);
          const known = Object.keys(rules[finding.rule].severity);
          expect(Object.keys(finding.severity).every((audience) => known.includes(audience) || audience === "clients")).toBe(true);
        }
      }),
    );
  });
});

function sortedKinds(list: FunctionAbi["attributes"]): unknown {
  // A view's and an event's arguments say nothing.
  return list.map(({ kind, args }) => (kind === 1 || kind === 4 ? { kind } : { kind, args })).sort((a, b) => a.kind - b.kind);
}

function has(marks: ComparedModule["functionMarks"], name: string, mark: string): boolean {
  return marks.get(name)?.some((found) => found.name === mark) === true;
}

function isExposed(abi: ModuleAbi, marks: ComparedModule["functionMarks"], name: string): boolean {
  const found = abi.functions.find((item) => item.name === name);
  return found !== undefined && (found.visibility !== "private" || found.isEntry || found.isView || has(marks, name, "persistent"));
}
