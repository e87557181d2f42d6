import { describe, expect, test } from "vitest";
import type { FunctionSpec, StructSpec } from "../../../../sim/module-writer/module-spec.ts";
import { differenceOf } from "../../../../src/capabilities/changes/compare/difference.ts";
import { makeFinding, WHOLE_MODULE } from "../../../../src/capabilities/changes/compare/finding.ts";
import { ruleIds, rules } from "../../../../src/capabilities/changes/compare/rules/rules.ts";
import { audienceText, whatChanged } from "../../../../src/capabilities/changes/diff/sentences.ts";
import { rawText } from "../../../../src/capabilities/changes/documents/document.ts";
import { RULES_VERSION } from "../../../../src/capabilities/changes/tables.ts";
import { decodeModule } from "../../../../src/core/abi/decode.ts";
import { sha256Hex } from "../../../../src/core/base/sha256.ts";
import { refusals } from "../../../support/vm/vm-compatibility.ts";
import { entry, examples, fn, moduleOf, nothing, type Parts, struct, view } from "./support/rule-examples.ts";

/** Whether the VM's own check of compatibility refuses an upgrade. */
function isRefused(before: Parts, after: Parts): boolean {
  const [old, now] = [before, after].map(moduleOf).map((one) => ({ ...one, ...decodeModule(one.bytes) }));
  return refusals(old as never, now as never).length > 0;
}
/** What the VM's check of attributes refuses, beside that. */
const ofAttributes = new Set(["event-removed", "resource-group-changed", "resource-group-member-changed"]);

const findingsOf = (before: Parts | null, after: Parts | null) =>
  differenceOf(before === null ? undefined : moduleOf(before), after === null ? undefined : moduleOf(after))?.findings;

describe("each rule", () => {
  test.each(ruleIds.map((id) => [id, ...examples[id]] as const))(
    "%s is found where it should be, and nothing else; refused as the VM's own check refuses",
    (id, before, after, severity, witness) => {
      // Rules about bytes and behaviour apply beside many others: what they find is looked at in their own examples.
      const beside = /^(?:code|encoding|metadata|function|abort-codes|constant)-changed$|^always-aborts$/;
      const findings = findingsOf(before, after)?.filter(({ rule }) => rule === id || !beside.test(rule));
      expect(findings?.map(({ rule }) => rule)).toEqual([id]);
      expect(findings?.[0]?.severity).toEqual(severity);
      expect(findings?.[0]?.upgrade).toBe(rules[id].upgrade);
      if (before !== null && after !== null && !ofAttributes.has(id))
        expect(isRefused(before, after)).toBe(rules[id].upgrade === "refused");
      if (witness !== undefined) expect([findings?.[0]?.before, findings?.[0]?.after]).toEqual(witness);
    },
  );

  test("has a name in kebab case, a sentence of meaning and a source", () => {
    for (const id of ruleIds) {
      expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(rules[id].meaning).toMatch(/^[A-Z0].*\.$/);
      expect(rules[id].source).toMatch(/\.(rs|move)\b/);
    }
  });
});

test("other findings than before are other rules: what is stored of changes is judged again", () => {
  const found = ruleIds.map((id) => {
    const [before, after] = examples[id];
    return [id, findingsOf(before, after)?.map(({ rule, item, severity, upgrade }) => [rule, item, severity, upgrade])];
  });
  // Another digest here needs RULES_VERSION counted up.
  expect([RULES_VERSION, sha256Hex(JSON.stringify(found)).slice(0, 16)]).toEqual([4, "ec407b0533ca7741"]);
});

test("of bytecode that is newer than the decoder the interface is compared, also where it has function types", () => {
  const was = moduleOf(examples["function-type-renumbered"][0] as Parts);
  const is = { ...was, bytes: Uint8Array.from(was.bytes, (byte, at) => (at === 4 ? 99 : byte)) };
  expect(differenceOf(was, is)?.findings.map(({ rule }) => rule)).toEqual(["code-changed"]);
});

test("private functions whose signature changed are named beside those that came and went", () => {
  const before: Parts = { functions: [{ name: "g", params: ["u8"] }, { name: "gone" }, { name: "same" }] };
  const after: Parts = { functions: [{ name: "g", params: ["u64"] }, { name: "same" }, { name: "new" }] };
  const of = (before: Parts, after: Parts) =>
    findingsOf(before, after)?.flatMap(({ rule, before, after }) => (rule === "private-functions-changed" ? [[before, after]] : []));
  expect(of(before, after)).toEqual([["gone", "new, g (changed)"]]);
  const taking = (param: string): Parts => ({ functions: [{ name: "g", params: [param] }] });
  expect(of(taking("u8"), taking("u64"))).toEqual([[null, "g (changed)"]]);
  expect(of({ functions: [{ name: "g" }] }, { functions: [{ name: "g" }] })).toEqual(undefined);
});

describe("who is concerned", () => {
  const severityOf = (before: Parts, after: Parts) =>
    findingsOf(before, after)?.map(({ rule, severity, upgrade }) => [rule, severity, upgrade]);

  test("friends alone: dangerous, and refused only where friends count", () => {
    expect(severityOf(fn({ visibility: "friend" }), nothing)).toEqual([
      ["function-removed", { callers: "dangerous" }, "refused where friends count"],
    ]);
  });

  test("transactions alone, when an entry function is private", () => {
    expect(severityOf(entry({ visibility: "private" }), nothing)).toEqual([["function-removed", { clients: "breaking" }, "refused"]]);
  });

  test("clients alone, when a view is private, which the VM lets go", () => {
    expect(severityOf(view({ visibility: "private" }), nothing)).toEqual([["function-removed", { clients: "breaking" }, "allowed"]]);
  });

  test("callers alone, when a signer is passed in another way", () => {
    expect(severityOf(entry({ params: ["&signer", "u8"] }), entry({ params: ["signer", "u8"] }))).toEqual([
      ["parameters-changed", { callers: "breaking" }, "refused"],
    ]);
  });

  test("clients too, when an entry function wants another signer", () => {
    expect(severityOf(entry({ params: ["&signer", "u8"] }), entry({ params: ["&signer", "&signer", "u8"] }))).toEqual([
      ["parameters-changed", { callers: "breaking", clients: "breaking" }, "refused"],
    ]);
  });

  test("nobody, when functions and structs only stand in another order", () => {
    const two = [{ name: "A" }, { name: "B" }];
    const found = differenceOf(moduleOf({ structs: two }), moduleOf({ structs: two.toReversed() }));
    expect(found).toMatchObject({ depth: "encoding", findings: [{ rule: "encoding-changed" }] });
  });
});

describe("fields and variants", () => {
  const rulesOf = (before: Partial<StructSpec>, after: Partial<StructSpec>) =>
    findingsOf(struct(before), struct(after))?.map(({ rule, before, after }) => [rule, before, after]);

  test("two fields of one type that swapped places are not renamed: each is read as the other", () => {
    const [prices, sizes, id] = [["prices", "u64"] as const, ["sizes", "u64"] as const, ["id", "u8"] as const];
    expect(rulesOf({ fields: [prices, sizes, id] }, { fields: [sizes, prices, id] })).toEqual([
      ["fields-changed", "prices: u64, sizes: u64, …", "sizes: u64, prices: u64, …"],
    ]);
    expect(rulesOf({ fields: [prices, sizes, id] }, { fields: [["asks", "u64"], sizes, id] })).toEqual([
      ["fields-renamed", "prices: u64, …", "asks: u64, …"],
    ]);
    // A name that moved is enough, also where another took its place.
    expect(rulesOf({ fields: [prices, sizes, id] }, { fields: [sizes, ["asks", "u64"], id] })?.[0]?.[0]).toBe("fields-changed");
  });

  test("an enum with several changed variants is one finding", () => {
    const of = (names: string) => ({ variants: [...names].map((name) => ({ name })) });
    expect(rulesOf(of("ABCD"), of("ACED"))).toEqual([["variant-changed", "…, B, C, …", "…, C, E, …"]]);
    expect(rulesOf(of("ABCD"), of("AXBCD"))).toEqual([
      ["variant-changed", "…, B, C, D", "…, X, B, C"],
      ["variant-added", null, "D"],
    ]);
  });
});

describe("code", () => {
  const a: FunctionSpec = { name: "a", visibility: "public", abortCode: 1 };
  const b: FunctionSpec = { name: "b", visibility: "public", abortCode: 2 };
  const calling = (index: number): FunctionSpec => ({ name: "c", code: [Uint8Array.of(0x11, index), Uint8Array.of(0x02)] });
  const before: Parts = { functions: [a, b, calling(1)] };
  const depthAfter = (...functions: readonly FunctionSpec[]) => {
    const found = differenceOf(moduleOf(before), moduleOf({ functions }));
    return [found?.depth, ...(found?.findings.map(({ rule, after }) => `${rule}: ${after}`) ?? [])];
  };

  test("is the same when functions stand in another order and the same call has another index", () => {
    expect(depthAfter(b, a, calling(0))).toEqual(["encoding", "encoding-changed: null"]);
  });

  test("differs when the same index names another function", () => {
    expect(depthAfter(b, a, calling(1))).toEqual(["code", "code-changed: c", "abort-codes-changed: aborts with the code 0x1"]);
  });

  test("that changed is named beside a changed interface too", () => {
    const found = depthAfter(a, { ...b, abortCode: 3 }, calling(1), { name: "d", visibility: "public" });
    const findings = ["abort-codes-changed: aborts with the code 0x3", "function-added: public fun d()", "code-changed: b"];
    expect(found).toEqual(["interface", ...findings]);
  });

  test("of a module that cannot be read counts as changed", () => {
    const [before, after] = [moduleOf(fn({})), moduleOf(fn({}))];
    const cut = { ...after, bytes: after.bytes.subarray(0, 30) };
    expect(differenceOf(before, cut)).toMatchObject({ depth: "code", findings: [{ rule: "code-changed", after: null }] });
  });
});

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

test("a sentence says what a struct became", () => {
  const said = (before: string, after: string) =>
    rawText(whatChanged({ rule: "struct-kind-changed", item: { kind: "struct", name: "S" }, before, after }));
  expect([said("struct S", "enum S"), said("enum S", "struct S"), said("struct S", "native struct S")]).toEqual([
    "S is an enum now",
    "S is a struct now",
    "S is a native struct now",
  ]);
});

test("of other instructions it is said that nothing else was found, not that there is nothing", () => {
  const finding = {
    ...makeFinding("code-changed", WHOLE_MODULE, { before: null, after: "f" }),
    worst: "silent",
    isFailing: false,
  } as const;
  expect(audienceText(finding)).toBe("no other difference in what they do was found");
  expect(audienceText({ ...finding, rule: "metadata-changed" })).toBe("nothing that others can see changed");
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
