import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { FunctionSpec, ModuleSpec, StructSpec } from "../../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { type PublishRuleId, publishRules } from "../../../src/abi/publish/rules.ts";
import { functionType, primitiveType } from "../../../src/move/types/make-type.ts";
import { callback, moduleOf } from "../../abi/compare/support/rule-examples.ts";
import { row } from "../../support/handmade.ts";
import { runCli } from "../../support/run-cli.ts";
import { sealModules } from "../../support/sealed-modules.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

type Parts = Partial<ModuleSpec>;

const struct = (parts: Partial<StructSpec>, ...more: readonly StructSpec[]): Parts => ({
  structs: [{ name: "S", fields: [["a", "u64"]], ...parts }, ...more],
});
const fn = (parts: Partial<FunctionSpec>): Parts => ({ functions: [{ name: "f", ...parts }] });
const own = (name: string) => `0xcafe::m::${name}`;
const closure = functionType(["copy", "drop"], [primitiveType("u64")], []);
const event = { name: "E", abilities: ["drop", "store"], fields: [["a", "u64"]], attributes: [{ kind: 4 }] } as const;
const group = { name: "G", fields: [["dummy_field", "bool"]], attributes: [{ kind: 2, args: ["module_"] }] } as const;

/** A module that emits a value of some type: `0x1::event::emit<T0: drop + store>(T0)`. */
const emitting = (type: string, structs: readonly StructSpec[]): Parts => ({
  structs,
  functions: [{ name: "f", code: [row(0x38, 0), row(0x02)] }],
  imports: [{ module: "0x1::event", name: "emit", typeParams: ["drop store"], params: ["T0"] }],
  instantiations: [{ handle: 1, typeArguments: [type] }],
});

/** Builds that break one rule each, and builds that keep it though they are close to breaking it. Modules are 0xcafe::m, then 0xcafe::n. */
const builds: readonly (readonly [what: string, breaks: PublishRuleId | null, ...modules: Parts[]])[] = [
  ["a friend that is nowhere", "friend-missing", { friends: ["0xcafe::gone"] }],
  ["a friend in the build", null, { friends: ["0xcafe::n"] }, {}],
  ["a friend on the ledger", null, { friends: ["0xcafe::old"] }],
  ["a friend of another account", "friend-of-another-account", { friends: ["0x1::event"] }],
  ["itself as a friend", "friend-of-itself", { friends: ["0xcafe::m"] }],
  ["two modules that depend on each other", "cyclic-dependency", { dependencies: ["0xcafe::n"] }, { dependencies: ["0xcafe::m"] }],
  ["a circle through the ledger", "cyclic-dependency", { name: "base", dependencies: ["0xcafe::old"] }],
  ["a module that depends on another", null, { dependencies: ["0xcafe::n"] }, {}],
  ["friends in a circle", "friend-circle", { friends: ["0xcafe::n"] }, { friends: ["0xcafe::m"] }],
  ["a dependency that is a friend", "friend-circle", { friends: ["0xcafe::n"], dependencies: ["0xcafe::n"] }, {}],
  [
    "copy with a field that has none",
    "field-lacks-ability",
    struct({ abilities: ["copy"], fields: [["a", own("T")]] }, { name: "T", fields: [["a", "u64"]] }),
  ],
  ["key with a field without store", "field-lacks-ability", struct({ abilities: ["key"], fields: [["a", "vector<signer>"]] })],
  [
    "store with a function that has none",
    "field-lacks-ability",
    { version: 8, ...struct({ abilities: ["store"], fields: [["a", closure]] }) },
  ],
  [
    "an enum's variant with a signer and store",
    "field-lacks-ability",
    { ...struct({}), structs: [{ name: "S", abilities: ["store"], variants: [{ name: "V", fields: [["a", "signer"]] }] }] },
  ],
  [
    "copy and drop with a function that has them",
    null,
    { version: 8, ...struct({ abilities: ["copy", "drop"], fields: [["a", closure]] }) },
  ],
  ["key with a parameter in its field", null, struct({ abilities: ["key"], typeParams: [""], fields: [["a", "T0"]] })],
  [
    "drop with a phantom argument that has none",
    null,
    struct(
      { abilities: ["drop"], fields: [["a", `${own("P")}<${own("T")}>`]] },
      { name: "P", abilities: ["drop"], typeParams: ["phantom"], fields: [["a", "u64"]] },
      { name: "T", fields: [["a", "u64"]] },
    ),
  ],
  [
    "an argument without the ability",
    "type-argument-lacks-ability",
    struct(
      { fields: [["a", `${own("P")}<${own("T")}>`]] },
      { name: "P", typeParams: ["store"], fields: [["a", "T0"]] },
      { name: "T", fields: [["a", "u64"]] },
    ),
  ],
  [
    "a parameter of such a type",
    "type-argument-lacks-ability",
    { ...struct({ name: "P", typeParams: ["key"], fields: [["a", "T0"]] }), ...fn({ params: [`${own("P")}<u64>`] }) },
  ],
  [
    "an argument with the ability",
    null,
    struct({ fields: [["a", `${own("P")}<u64>`]] }, { name: "P", typeParams: ["store"], fields: [["a", "T0"]] }),
  ],
  ["a reference as a field", "reference-inside-type", struct({ fields: [["a", "&u64"]] })],
  ["a vector of references", "reference-inside-type", fn({ params: ["vector<&u64>"] })],
  ["a function over references", null, { version: 8, ...fn({ params: [functionType([], [primitiveType("u64")], [])] }) }],
  ["a phantom parameter as a field", "phantom-parameter-used", struct({ typeParams: ["phantom"], fields: [["a", "T0"]] })],
  ["a phantom parameter in a vector", "phantom-parameter-used", struct({ typeParams: ["phantom"], fields: [["a", "vector<T0>"]] })],
  [
    "a phantom parameter handed on",
    null,
    struct({ typeParams: ["phantom"], fields: [["a", `${own("P")}<T0>`]] }, { name: "P", typeParams: ["phantom"], fields: [["a", "u64"]] }),
  ],
  ["a struct in itself", "recursive-struct", struct({ fields: [["a", own("S")]] })],
  [
    "a struct in vectors of another in it",
    "recursive-struct",
    struct({ fields: [["a", `vector<${own("T")}>`]] }, { name: "T", fields: [["a", own("S")]] }),
  ],
  [
    "a struct twice in another",
    null,
    struct(
      {
        fields: [
          ["a", own("T")],
          ["b", own("T")],
        ],
      },
      { name: "T", fields: [["a", "u64"]] },
    ),
  ],
  ["a native function", "native-function", fn({ native: true })],
  ["a native function of the framework", null, { address: "0x1", name: "natives", ...fn({ native: true }) }],
  [
    "a native entry function of the framework",
    "native-function",
    { address: "0x1", name: "natives", ...fn({ native: true, entry: true }) },
  ],
  ["a public init_module", "init-module", fn({ name: "init_module", visibility: "public", params: ["&signer"] })],
  ["an init_module that takes a number", "init-module", fn({ name: "init_module", params: ["&signer", "u64"] })],
  ["an init_module with a result", "init-module", fn({ name: "init_module", params: ["signer"], returns: ["u64"] })],
  ["an init_module with a type parameter", "init-module", fn({ name: "init_module", params: ["signer"], typeParams: [""] })],
  ["an init_module as it should be", null, fn({ name: "init_module", params: ["&signer"] })],
  ["an init_module that is not called again", null, { name: "old", ...fn({ name: "init_module" }), dependencies: ["0xcafe::base"] }],
  ["a view without a result", "view-without-result", fn({ visibility: "public", attributes: [{ kind: 1 }] })],
  [
    "a view of that name is not there",
    "view-without-result",
    { functions: [{ name: "f", attributes: [{ kind: 1 }], returns: ["u64"] }], structs: [] },
  ],
  ["a view with a signer", "view-signer", fn({ params: ["&signer"], returns: ["u64"], attributes: [{ kind: 1 }] })],
  ["an entry function that takes a struct", "entry-parameter", { ...struct({}), ...fn({ entry: true, params: [own("S")] }) }],
  [
    "an entry function that takes what transactions have",
    null,
    fn({ entry: true, params: ["&signer", "u64", "vector<vector<u8>>", "0x1::string::String"] }),
  ],
  ["an entry function with a result", "entry-result", fn({ entry: true, returns: ["u64"] })],
  ["randomness on a public entry function", "randomness-on-public", fn({ entry: true, visibility: "public", attributes: [{ kind: 5 }] })],
  ["randomness on what is not an entry function", "randomness-on-public", fn({ attributes: [{ kind: 5 }] })],
  ["randomness on a private entry function", null, fn({ entry: true, attributes: [{ kind: 5, args: ["99"] }] })],
  ["an emitted struct that is not an event", "event-emitted", emitting(own("E"), [{ ...event, attributes: [] }])],
  ["an emitted number", "event-emitted", emitting("u64", [])],
  ["an emitted event of another module", "event-emitted", emitting("0x1::event::Told", [])],
  ["an emitted event", null, emitting(own("E"), [event])],
  ["an event that is a resource", null, struct({ ...event, abilities: ["drop", "store", "key"] })],
  ["a group with an ability", "resource-group", struct({ ...group, abilities: ["drop"] })],
  ["a group with a scope that does not exist", "resource-group", struct({ ...group, attributes: [{ kind: 2, args: ["planet"] }] })],
  [
    "a member without key",
    "resource-group-member",
    struct({ ...group, name: "G" }, { name: "M", fields: [["a", "u64"]], attributes: [{ kind: 3, args: [own("G")] }] }),
  ],
  [
    "a member of no group",
    "resource-group-unknown",
    struct({ abilities: ["key"], attributes: [{ kind: 3, args: [own("T")] }] }, { name: "T", fields: [["a", "u64"]] }),
  ],
  [
    "a member of a group that does not reach it",
    "resource-group-scope",
    struct(group),
    struct({ abilities: ["key"], attributes: [{ kind: 3, args: [own("G")] }] }),
  ],
  [
    "a member of a group of its account",
    null,
    struct({ ...group, attributes: [{ kind: 2, args: ["address"] }] }),
    struct({ abilities: ["key"], attributes: [{ kind: 3, args: [own("G")] }] }),
  ],
  ["an event twice", "attribute-repeated", struct({ ...event, attributes: [{ kind: 4 }, { kind: 4 }] })],
  ["a function that is an event", "attribute-unknown", fn({ attributes: [{ kind: 4 }] })],
  ["a struct with an attribute of the future", "attribute-unknown", struct({ attributes: [{ kind: 99 }] })],
  [
    "metadata that does not end",
    "metadata-malformed",
    { compilation: { unstable: false, compiler_version: "2.0", language_version: "2.0" } },
  ],
  ["unstable bytecode", "unstable-bytecode", { compilation: { unstable: true, compiler_version: "2.0", language_version: "2.3" } }],
  ["stable bytecode", null, { compilation: { unstable: false, compiler_version: "2.0", language_version: "2.3" } }],
  ["bytecode of version 9", "bytecode-too-new", { version: 9 }],
  ["bytecode of version 8", null, { version: 8 }],
];

describe("movedex check of crafted builds", async () => {
  const place = temporaryDirectory();
  const db = place.file("ledger.db");

  await sealModules(
    db,
    [
      {
        version: 10n,
        accounts: {
          "0xcafe": [
            writeModule({ address: "0xcafe", name: "base" }),
            writeModule({ address: "0xcafe", name: "old", dependencies: ["0xcafe::base"] }),
          ],
          "0x1": [
            writeModule({
              address: "0x1",
              name: "event",
              structs: [{ name: "Told", abilities: ["drop", "store"], fields: [["a", "u64"]] }],
              functions: [{ name: "emit", visibility: "public", typeParams: ["drop store"], params: ["T0"] }],
            }),
            writeModule({
              address: "0x1",
              name: "string",
              structs: [{ name: "String", abilities: ["copy", "drop", "store"], fields: [["bytes", "vector<u8>"]] }],
            }),
          ],
        },
      },
    ],
    undefined,
    1,
  );

  test.each(builds.map((build, i) => [`${build[0]}: ${build[1] ?? "nothing"}`, i] as const))("%s", async (_, i) => {
    const [what, breaks, ...modules] = builds[i] as (typeof builds)[number];
    const folder = place.file(String(i));
    mkdirSync(folder);
    for (const [n, parts] of modules.entries()) {
      const bytes = writeModule({ address: "0xcafe", name: n === 0 ? "m" : "n", ...parts });
      writeFileSync(`${folder}/${n}.mv`, tampered(what, bytes));
    }
    const { code, json } = await runCli(["check", folder, "--against", db, "--node-generation", "C", "--json"]);
    const { problems, links } = json() as { problems: { rule: PublishRuleId; by: string; source: string }[]; links: unknown[] };
    expect([...new Set(problems.map(({ rule }) => rule))]).toEqual(breaks === null ? [] : [breaks]);
    expect(links).toEqual([]);
    expect(code).toBe(breaks !== null && publishRules[breaks].by === "chain" ? 100 : 0);
    expect(problems.every(({ source }) => /\.(rs|move)\b/.test(source))).toBe(true);
  });

  test("a struct added before a function type's struct: refused on nodes of generation B, which is what Movement's network runs", async () => {
    const folder = place.file("callback");
    mkdirSync(folder);
    const [before, after] = [callback(["S"]), callback(["A", "S"])].map((parts) => moduleOf(parts).bytes);
    writeFileSync(`${folder}/m.mv`, after as Uint8Array);
    const codes: Record<string, number> = {};
    for (const [name, chainId, args] of [
      ["B", 4, ["--node-generation", "B"]],
      ["C", 4, ["--node-generation", "C"]],
      ["unknown", 4, []],
      ["Movement", 126, []],
    ] as const) {
      const file = place.file(`${name}.db`);
      await sealModules(file, [{ version: 10n, accounts: { "0xcafe": [before as Uint8Array] } }], undefined, chainId);
      const { json } = await runCli(["check", folder, "--against", file, "--json", ...args]);
      codes[name] = (json() as { upgrade: { refused: number } }).upgrade.refused;
      expect((await runCli(["diff", "latest", folder, "--db", file, "--fail-on", "refused", ...args])).code).toBe(
        codes[name] === 0 ? 0 : 100,
      );
    }
    expect(codes).toEqual({ B: 1, C: 0, unknown: 0, Movement: 1 });
  });

  test("every rule that looks at bytecode has a build that breaks it, in all more than forty", () => {
    const broken = new Set(builds.map(([, breaks]) => breaks));
    const files: readonly PublishRuleId[] = ["package-modules", "package-policy", "package-dependency", "package-dependency-missing"];
    const rules = Object.keys(publishRules) as PublishRuleId[];
    expect(rules.filter((rule) => !broken.has(rule) && !files.includes(rule))).toEqual([]);
    expect(builds.length).toBeGreaterThan(40);
  });
});

/** The one build that no writer makes: the length of its last text is one too large. */
function tampered(what: string, bytes: Uint8Array): Uint8Array {
  if (what === "metadata that does not end") {
    const at = Buffer.from(bytes).lastIndexOf("2.0");
    return bytes.with(at - 1, 4);
  }
  return what === "a view of that name is not there" ? renamed(bytes) : bytes;
}

/** With another name in the table of identifiers than in the metadata. */
function renamed(bytes: Uint8Array): Uint8Array {
  const at = Buffer.from(bytes).indexOf(Buffer.from([1, 0x66]));
  return bytes.with(at + 1, 0x67);
}
