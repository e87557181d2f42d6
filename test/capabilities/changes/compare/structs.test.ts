import { describe, expect, test } from "vitest";
import type { StructSpec } from "../../../../sim/module-writer/module-spec.ts";
import { differenceOf } from "../../../../src/capabilities/changes/compare/difference.ts";
import { moduleOf, type Parts, struct } from "./support/rule-examples.ts";

/** What is found between two states of a struct, beside the rules that apply to all changes. */
function found(before: Parts, after: Parts): (readonly [string, string | null, string | null])[] {
  const { findings = [] } = differenceOf(moduleOf(before), moduleOf(after)) ?? {};
  return findings.flatMap(({ rule, item, before, after }) => (item?.kind === "struct" ? [[rule, before, after] as const] : []));
}

describe("a struct that becomes an enum", () => {
  const vec = [["vec", "vector<T0>"]] as const;
  const variants = [{ name: "None" }, { name: "Some", fields: [["e", "T0"]] }] as const;
  const place = { address: "0x1", name: "option" };
  type Change = readonly [where: Partial<typeof place>, before: Partial<StructSpec>, after: Partial<StructSpec>];
  const rulesOf = ([where, before, after]: Change) => {
    const of = (parts: Partial<StructSpec>): Parts => ({ ...place, ...where, structs: [{ name: "Option", typeParams: [""], ...parts }] });
    return found(of({ fields: vec, ...before }), of({ variants, ...after })).map(([rule]) => rule);
  };

  test("keeps its bytes where it is 0x1::option::Option", () => {
    expect(rulesOf([{}, {}, {}])).toEqual(["option-became-enum"]);
  });

  test.each<Change>([
    [{ address: "0x2" }, {}, {}],
    [{ name: "options" }, {}, {}],
    [{}, { fields: [["vec", "vector<u8>"]] }, {}],
    [{}, {}, { variants: [...variants, { name: "More" }] }],
    [{}, {}, { variants: [{ name: "None", fields: [["e", "u8"]] }, variants[1]] }],
    [{}, {}, { variants: [variants[0], { name: "Some", fields: [["e", "u64"]] }] }],
  ])("does not where it only resembles it (%#)", (...change) => {
    expect(rulesOf(change)).toEqual(["struct-kind-changed"]);
  });
});

test("a resource group may be given a wider scope, and nothing else", () => {
  const of = (scope?: string) => struct(scope === undefined ? {} : { attributes: [{ kind: 2, args: [scope] }] });
  const text = (scope?: string) => (scope === undefined ? null : `#[resource_group(scope = ${scope})]`);
  const cases: readonly (readonly [string | undefined, string | undefined, string])[] = [
    ["module_", "address", "widened"],
    ["module_", "global", "widened"],
    ["address", "global", "widened"],
    ["address", "module_", "changed"],
    ["global", "address", "changed"],
    [undefined, "global", "changed"],
    [undefined, "module_", "changed"],
    ["module_", undefined, "changed"],
    ["another", "global", "changed"],
    ["global", "another", "changed"],
  ];
  for (const [before, after, how] of cases)
    expect(found(of(before), of(after))).toEqual([[`resource-group-${how}`, text(before), text(after)]]);
});
