import type { FunctionSpec, ModuleSpec, StructSpec, TypeSpec } from "../../../../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../../../../sim/module-writer/module-writer.ts";
import type { ModuleWithBytes } from "../../../../../src/capabilities/changes/compare/difference.ts";
import type { RuleId } from "../../../../../src/capabilities/changes/compare/rules/rules.ts";
import { decodeModule } from "../../../../../src/core/abi/decode.ts";
import { sha256Hex } from "../../../../../src/core/base/sha256.ts";
import { functionType, primitiveType } from "../../../../../src/core/move/types/make-type.ts";
import { parseType } from "../../../../../src/core/move/types/parse-type.ts";
import { row } from "../../../../support/handmade.ts";

/** What of a module differs from an empty one. */
export type Parts = Partial<ModuleSpec>;

/** Module 0xcafe::m with these parts, in bytecode version 10 unless they say otherwise. */
export function moduleOf(parts: Parts): ModuleWithBytes {
  const bytes = writeModule({ address: "0xcafe", name: "m", version: 10, ...parts });
  return { ...decodeModule(bytes), bytes, sha256: sha256Hex(bytes) };
}

export const fn = (parts: Partial<FunctionSpec>): Parts => ({ functions: [{ name: "f", visibility: "public", ...parts }] });
export const struct = (parts: Partial<StructSpec>): Parts => ({ structs: [{ name: "S", ...parts }] });
const errors = (...list: readonly (readonly [number, string, string])[]): Parts => ({
  errors: list.map(([code, name, description]) => ({ code, name, description })),
});
export const entry = (parts: Partial<FunctionSpec> = {}): Parts => fn({ entry: true, ...parts });
export const view = (parts: Partial<FunctionSpec> = {}): Parts => fn({ attributes: [{ kind: 1 }], returns: ["u64"], ...parts });
export const nothing: Parts = {};
const u64 = primitiveType("u64");
/** Eight bytes of a number. */
export const u64Row = (value: number): number[] => [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, 0, 0, 0, 0, 0];
const ret = row(0x02);
/** A public function that calls another module's so often. */
const calling = (times: number): Parts => ({
  ...fn({ code: [...Array.from({ length: times }, () => row(0x11, 1)), ret] }),
  imports: [{ module: "0x1::coin", name: "pay" }],
});
/** A public function that aborts with a code unless its argument is 0. */
const checking = (abortCode: number): Parts => {
  const condition = [row(0x0a, 0), row(0x06, u64Row(0)), row(0x21), row(0x04, 5)];
  return fn({ params: ["u64"], code: [...condition, ret, row(0x06, u64Row(abortCode)), row(0x27)] });
};
/** A public function that compares its argument with a number by an instruction. */
const comparing = (opcode: number, to: number): Parts =>
  fn({ params: ["u64"], code: [row(0x0a, 0), row(0x06, u64Row(to)), row(opcode), row(0x01), ret] });
/** A public function that emits R or Q. */
const emitting = (index: number): Parts => ({
  ...fn({ code: [row(0x38, index), ret] }),
  structs: ["R", "Q"].map((name) => ({ name, abilities: ["drop", "store"], fields: [["a", "u64"]] })),
  imports: [{ module: "0x1::event", name: "emit", typeParams: ["drop store"], params: ["T0"] }],
  instantiations: ["R", "Q"].map((name) => ({ handle: 1, typeArguments: [`0xcafe::m::${name}`] })),
});
/** A public function that takes a function over a struct; the structs of these names are in this order. */
export const callback = (names: readonly string[]): Parts => ({
  ...fn({ params: [functionType([], [parseType("0xcafe::m::S")], [])] }),
  structs: names.map((name) => ({ name, fields: [["a", "u64"]] })),
});

/** As bad for everybody. */
const all = (severity: string) => ({ callers: severity, clients: severity, readers: severity });
const compiledBy = (version: string): Parts => ({ compilation: { unstable: false, compiler_version: version, language_version: "2.0" } });
const fieldsOf = (types: Readonly<Record<string, TypeSpec>>) => Object.entries(types);
const field = (name: string, type: string) => struct({ fields: [[name, type]] });
const variants = (...list: NonNullable<StructSpec["variants"]>) => struct({ variants: list });
const attributed = (kind: number, ...args: string[]) => struct({ attributes: [{ kind, args }] });
const option = (parts: Partial<StructSpec>): Parts => ({
  address: "0x1",
  name: "option",
  structs: [{ name: "Option", typeParams: [""], ...parts }],
});

/** For each rule two modules that differ in that way alone, and what is found: for whom how bad, and the witness. */
export const examples: Record<
  RuleId,
  readonly [before: Parts | null, after: Parts | null, severity: object, witness?: readonly (string | null)[]]
> = {
  "module-removed": [nothing, null, all("breaking")],
  "module-renamed": [nothing, { name: "n" }, all("breaking"), ["0xcafe::m", "0xcafe::n"]],
  "module-added": [null, nothing, all("safe")],
  "friend-removed": [{ friends: ["0x1::a", "0x1::b"] }, { friends: ["0x1::b"] }, { callers: "dangerous" }, ["friend 0x1::a", null]],
  "friend-added": [{ friends: ["0x1::b"] }, { friends: ["0x1::a", "0x1::b"] }, { callers: "safe" }, [null, "friend 0x1::a"]],
  "error-code-reused": [
    errors([1, "EA", "a"], [2, "EB", "b"]),
    errors([1, "EC", "c"], [2, "EB", "b"]),
    { clients: "dangerous" },
    ["EA = 1: a", "EC = 1: c"],
  ],
  "error-code-renumbered": [errors([1, "EA", "a"]), errors([3, "EA", "a"]), { clients: "dangerous" }, ["EA = 1: a", "EA = 3: a"]],
  "error-map-removed": [errors([1, "EA", "a"]), nothing, { clients: "dangerous" }, ["error codes EA", null]],
  "error-code-removed": [errors([1, "EA", "a"], [2, "EB", ""]), errors([1, "EA", "a"]), { clients: "safe" }, ["EB = 2", null]],
  "error-code-added": [errors([1, "EA", "a"]), errors([1, "EA", "a"], [2, "EB", "b"]), { clients: "safe" }, [null, "EB = 2: b"]],
  "error-text-changed": [errors([1, "EA", "a"]), errors([1, "EA", "b"]), { clients: "safe" }, ["EA = 1: a", "EA = 1: b"]],
  "dependencies-changed": [{ dependencies: ["0x1::coin"] }, { dependencies: ["0x1::table"] }, all("silent"), ["0x1::coin", "0x1::table"]],
  "code-changed": [fn({ abortCode: 1 }), fn({ abortCode: 2 }), all("silent"), [null, "f"]],
  "function-type-renumbered": [
    callback(["S", "A"]),
    callback(["A", "S"]),
    all("silent"),
    ["0xcafe::m::S is struct handle 0", "0xcafe::m::S is struct handle 1"],
  ],
  "encoding-changed": [{ version: 9, ...fn({}) }, { version: 10, ...fn({}) }, all("silent"), [null, null]],
  "metadata-changed": [compiledBy("2.0"), compiledBy("2.1"), all("silent")],
  "function-removed": [entry(), nothing, { callers: "breaking", clients: "breaking" }, ["public entry fun f()", null]],
  "visibility-reduced": [fn({}), fn({ visibility: "friend" }), { callers: "breaking" }, ["public fun f()", "public(friend) fun f()"]],
  "entry-removed": [entry(), fn({}), { clients: "breaking" }],
  "view-removed": [view(), view({ attributes: [] }), { clients: "breaking" }, ["#[view] public fun f(): u64", "public fun f(): u64"]],
  "persistent-removed": [
    fn({ marks: [{ name: "persistent" }] }),
    fn({}),
    { callers: "breaking", readers: "breaking" },
    ["#[persistent] public fun f()", "public fun f()"],
  ],
  "parameters-changed": [
    view({ params: ["u64"] }),
    view({ params: ["u128"] }),
    { callers: "breaking", clients: "breaking" },
    ["#[view] public fun f(u64): u64", "#[view] public fun f(u128): u64"],
  ],
  "returns-changed": [view(), view({ returns: ["u8"] }), { callers: "breaking", clients: "breaking" }],
  "type-parameters-changed": [entry(), entry({ typeParams: [""] }), { callers: "breaking", clients: "breaking" }],
  "constraints-tightened": [
    entry({ typeParams: ["drop"] }),
    entry({ typeParams: ["drop copy"] }),
    { callers: "breaking", clients: "dangerous" },
  ],
  "constraints-relaxed": [fn({ typeParams: ["drop copy"] }), fn({ typeParams: ["drop"] }), { callers: "safe" }],
  "randomness-changed": [
    entry({ visibility: "private", attributes: [{ kind: 5, args: ["10"] }] }),
    entry({ visibility: "private" }),
    { clients: "dangerous" },
    ["#[randomness(max_gas = 10)] entry fun f()", "entry fun f()"],
  ],
  "module-lock-changed": [
    fn({}),
    fn({ marks: [{ name: "module_lock" }] }),
    { callers: "dangerous" },
    ["public fun f()", "#[module_lock] public fun f()"],
  ],
  "function-added": [fn({ visibility: "private" }), fn({}), { callers: "safe" }, ["fun f()", "public fun f()"]],
  "visibility-widened": [fn({ visibility: "friend" }), fn({}), { callers: "safe" }],
  "entry-added": [fn({}), entry(), { clients: "safe" }],
  "view-added": [view({ attributes: [] }), view(), { clients: "safe" }],
  "native-changed": [fn({}), fn({ native: true }), { callers: "silent" }, ["public fun f()", "public native fun f()"]],
  "function-changed": [calling(1), calling(2), { callers: "behaviour" }, [null, "calls 0x1::coin::pay once more"]],
  "abort-codes-changed": [
    entry({ abortCode: 0x10006 }),
    entry({ abortCode: 0x60006 }),
    { callers: "behaviour", clients: "dangerous" },
    ["aborts with INVALID_ARGUMENT (0x10006)", "aborts with NOT_FOUND (0x60006)"],
  ],
  "always-aborts": [fn({ code: [ret] }), fn({ abortCode: 0xd0001 }), { callers: "breaking" }, [null, "aborts with UNAVAILABLE (0xd0001)"]],
  "check-removed": [
    checking(0x50001),
    fn({ params: ["u64"], code: [ret] }),
    { callers: "dangerous" },
    ["aborts with PERMISSION_DENIED (0x50001)", null],
  ],
  "check-added": [
    fn({ params: ["u64"], code: [ret] }),
    checking(0x30001),
    { callers: "dangerous" },
    [null, "aborts with INVALID_STATE (0x30001)"],
  ],
  "comparison-changed": [comparing(0x23, 5), comparing(0x25, 5), { callers: "behaviour" }, ["compares by `< 5`", "compares by `<= 5`"]],
  "constant-changed": [comparing(0x23, 5), comparing(0x23, 4), { callers: "behaviour" }, ["compares by `< 5`", "compares by `< 4`"]],
  "private-functions-changed": [
    fn({ visibility: "private", name: "g" }),
    fn({ visibility: "private", name: "h" }),
    { callers: "silent", clients: "silent" },
    ["g", "h"],
  ],
  "struct-removed": [struct({ abilities: ["key"] }), nothing, all("breaking"), ["struct S has key", null]],
  "struct-kind-changed": [field("a", "u8"), variants({ name: "V" }), { clients: "breaking", readers: "breaking" }, ["struct S", "enum S"]],
  "option-became-enum": [
    option({ fields: [["vec", "vector<T0>"]] }),
    option({ variants: [{ name: "None" }, { name: "Some", fields: [["e", "T0"]] }] }),
    { clients: "safe", readers: "safe" },
  ],
  "abilities-removed": [
    struct({ abilities: ["key", "drop"] }),
    struct({ abilities: ["key"] }),
    { callers: "breaking", readers: "dangerous" },
    ["struct S has drop, key", "struct S has key"],
  ],
  "abilities-added": [struct({}), struct({ abilities: ["copy"] }), { callers: "dangerous" }],
  "key-added": [struct({}), struct({ abilities: ["key"] }), { callers: "safe", readers: "safe" }],
  "struct-type-parameters-changed": [struct({}), struct({ typeParams: [""] }), all("breaking"), ["struct S", "struct S<T0>"]],
  "struct-constraints-tightened": [
    struct({ typeParams: [""] }),
    struct({ typeParams: ["store"] }),
    { callers: "breaking", clients: "dangerous", readers: "dangerous" },
  ],
  "struct-constraints-relaxed": [struct({ typeParams: ["store"] }), struct({ typeParams: [""] }), { callers: "safe" }],
  "phantom-removed": [
    struct({ typeParams: ["phantom"] }),
    struct({ typeParams: [""] }),
    { callers: "breaking" },
    ["struct S<phantom T0>", "struct S<T0>"],
  ],
  "phantom-added": [struct({ typeParams: [""] }), struct({ typeParams: ["phantom"] }), { callers: "safe" }],
  "fields-changed": [
    struct({ fields: fieldsOf({ a: "u8", b: "u8", c: "u8" }) }),
    struct({ fields: fieldsOf({ a: "u8", b: functionType(["copy"], [u64], []), x: "bool", c: "u8" }) }),
    { clients: "breaking", readers: "breaking" },
    ["…, b: u8, …", "…, b: |u64| has copy, x: bool, …"],
  ],
  "fields-renamed": [field("a", "u8"), field("b", "u8"), { clients: "breaking", readers: "breaking" }, ["a: u8", "b: u8"]],
  "variant-changed": [
    variants({ name: "A", fields: [["x", "u8"]] }, { name: "B" }),
    variants({ name: "A", fields: [["x", "u64"]] }, { name: "B" }),
    { clients: "breaking", readers: "breaking" },
    ["A { x: u8 }, …", "A { x: u64 }, …"],
  ],
  "variant-added": [
    variants({ name: "A" }),
    variants({ name: "A" }, { name: "B" }),
    { clients: "dangerous", readers: "dangerous" },
    [null, "B"],
  ],
  "event-removed": [attributed(4), struct({}), { readers: "breaking" }, ["#[event] struct S", "struct S"]],
  "event-added": [struct({}), attributed(4), { readers: "safe" }],
  "event-not-emitted": [emitting(0), emitting(1), { readers: "breaking" }, ["emitted by f", null]],
  "resource-group-changed": [
    attributed(2, "global"),
    attributed(2, "module_"),
    { readers: "breaking" },
    ["#[resource_group(scope = global)]", "#[resource_group(scope = module_)]"],
  ],
  "resource-group-widened": [attributed(2, "module_"), attributed(2, "address"), { readers: "safe" }],
  "resource-group-member-changed": [
    attributed(3, "0x1::object::ObjectGroup"),
    struct({}),
    { readers: "breaking" },
    ["#[resource_group_member(group = 0x1::object::ObjectGroup)]", null],
  ],
  "struct-added": [nothing, struct({}), { callers: "safe", readers: "safe" }, [null, "struct S"]],
};
