import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createSampleLedger, type ModuleSpec, startSimNode, writeModule } from "../../../sim/index.ts";
import { type CliResult, ended, handmade, nameRow, row, runCli, sealModules, temporaryDirectory } from "../../support/index.ts";
import { callback, moduleOf } from "../changes/compare/support/rule-examples.ts";

const pool: ModuleSpec = {
  address: "0xcafe",
  name: "pool",
  structs: [{ name: "Share", abilities: ["store"], fields: [["value", "u64"]] }],
  functions: [
    { name: "swap", visibility: "public", entry: true, params: ["&signer", "u64"] },
    { name: "price", visibility: "public", returns: ["u64"], attributes: [{ kind: 1 }] },
  ],
};
const widened = writeModule({ ...pool, functions: [...(pool.functions ?? []), { name: "depth", visibility: "public" }] });
const broken = writeModule({ ...pool, functions: pool.functions?.slice(1) ?? [] });
const viewless = writeModule({ ...pool, functions: (pool.functions ?? []).map((fn) => ({ ...fn, attributes: [] })) });

/** Module 0x1::M, which calls 0x1::D::f(u64): bool. */
const caller = handmade(7, {
  identifiers: [nameRow("M"), nameRow("D"), nameRow("f")],
  moduleHandles: [row(0, 0), row(0, 1)],
  signatures: [row(0), row(1, 3), row(1, 1)],
  functionHandles: [row(1, 2, 1, 2, 0, 1)],
});
const called = (params: readonly string[], abortCode = 0, friends: readonly string[] = []): Uint8Array =>
  writeModule({
    address: "0x1",
    name: "D",
    friends,
    functions: [{ name: "f", visibility: "public", params, returns: ["bool"], abortCode }],
  });

describe("movedex check", async () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  let folders = 0;
  const build = (modules: readonly Uint8Array[], dependencies?: readonly Uint8Array[]): string => {
    const folder = place.file(`package-${folders++}/build/Package`);
    const bytecode = `${folder}/bytecode_modules`;
    mkdirSync(bytecode, { recursive: true });
    for (const [i, bytes] of modules.entries()) writeFileSync(`${bytecode}/m${i}.mv`, bytes);
    if (dependencies !== undefined) mkdirSync(`${bytecode}/dependencies/Other`, { recursive: true });
    for (const [i, bytes] of (dependencies ?? []).entries()) writeFileSync(`${bytecode}/dependencies/Other/d${i}.mv`, bytes);
    return folder;
  };
  const check = (folder: string, ...args: string[]): Promise<CliResult> => runCli(["check", folder, "--against", db, ...args]);

  await sealModules(db, [
    { version: 100n, accounts: { "0xcafe": [writeModule(pool)], "0x1": [called(["u64"])] } },
    {
      version: 200n,
      accounts: {
        "0xcafe": [writeModule(pool), writeModule({ address: "0xcafe", name: "old" })],
        "0x1": [called(["u64"], 9)],
        "0x7": "timeout",
      },
    },
  ]);

  test("refuses what the VM refuses, whatever the level; fails on what breaks others from the level on", async () => {
    const { stdout } = await ended(check(build([broken]), "--fail-on", "refused"), 100);
    expect(stdout).toMatch(/^the VM would refuse this build: 1 change that no upgrade may make\n/m);
    expect(stdout).toContain("✗ breaking  function-removed  function swap");
    await ended(check(build([viewless])), 100);
    expect((await check(build([viewless]))).stdout).toMatch(
      /^nothing was found for which the VM would refuse this build; it breaks what relies on it\. The VM refuses it if .* of its package\n/m,
    );
    await ended(check(build([viewless]), "--fail-on", "refused"));
  });

  test("refuses what does not link", async () => {
    await ended(check(build([caller])));
    await sealModules(place.file("later.db"), [{ version: 300n, accounts: { "0x1": [called(["u64", "u64"])] } }]);
    const { stdout } = await ended(runCli(["check", build([caller], [called(["u64"])]), "--against", place.file("later.db")]), 100);
    expect(stdout).toMatch(/^the VM would refuse this build: 1 use of other modules that does not link\n/m);
    expect(stdout).toContain(`linking
  refused  0x1::M uses function 0x1::D::f
    - fun f(u64): bool
    + public fun f(u64, u64): bool
`);
  });

  test("tells what the build carries into modules that call it, through those that it changes itself", async () => {
    const ret = row(0x02);
    const call = (handle: number) => row(0x11, handle);
    const imported = (module: string) => [{ module, name: "f", visibility: "public" as const }];
    const base = (code: number) =>
      writeModule({ address: "0xb", name: "base", functions: [{ name: "f", visibility: "public", abortCode: code }] });
    const middle = (more: readonly Uint8Array[]) =>
      writeModule({
        address: "0xb",
        name: "middle",
        functions: [{ name: "f", visibility: "public", code: [call(1), ...more, ret] }],
        imports: imported("0xb::base"),
      });
    const user = writeModule({
      address: "0xc",
      name: "user",
      functions: [{ name: "g", visibility: "public", code: [call(1), ret] }],
      imports: imported("0xb::middle"),
    });
    const ledger = place.file("carried.db");
    await sealModules(ledger, [{ version: 5n, accounts: { "0xb": [base(1), middle([])], "0xc": [user] } }]);
    const carriedBy = async (modules: readonly Uint8Array[]) => {
      const { json, stderr } = await runCli(["check", build(modules), "--against", ledger, "--json"]);
      expect(stderr).toBe("");
      return (json() as { upgrade: { carried: unknown } }).upgrade.carried;
    };
    const what = "no longer aborts with the code 0x1; aborts with the code 0x2";
    const long = { chain: ["0xc::user::g", "0xb::middle::f", "0xb::base::f"], what };
    expect(await carriedBy([base(2)])).toEqual([{ chain: ["0xb::middle::f", "0xb::base::f"], what }, long]);
    // The build's own calls count, in place of those that stand on the ledger.
    const apart = writeModule({ address: "0xb", name: "middle", functions: [{ name: "f", visibility: "public", code: [ret] }] });
    expect(await carriedBy([base(2), apart])).toEqual([
      { chain: ["0xc::user::g", "0xb::middle::f"], what: "no longer calls 0xb::base::f" },
    ]);
    const text = await runCli(["check", build([base(2)]), "--against", ledger, "--fail-on", "behaviour"]);
    expect(text.stdout).toContain("0xc::user::g → 0xb::middle::f → 0xb::base::f");
    expect(text.code).toBe(100);
  });

  test("says what it could not check, and exits with 101", async () => {
    const { stdout } = await ended(check(build([writeModule({ address: "0x7", name: "m" })])), 101);
    expect(stdout).toMatch(/^nothing was found against this build, but not all of it could be checked\n/m);
    expect(stdout).toContain(
      "0x7: the newest snapshots of night.db: no sealed snapshot has an answer about it; if it has no modules yet, say ",
    );
    expect(stdout).toContain(" say --first, else `movedex targets add 0x7` has it read\n");
    await ended(check(build([writeModule({ address: "0x7", name: "m" })]), "--first"));
    const needs = writeModule({ address: "0xcafe", name: "user", dependencies: ["0x9::gone", "0x1::gone"] });
    const found = (await check(build([needs]), "--json")).json() as { links: unknown[]; unlinked: unknown[] };
    expect(found.links).toMatchObject([{ target: "0x1::gone", item_kind: "module", found: null }]);
    expect(found.unlinked).toEqual([
      { subject: "0x9::gone", reason: "what the build uses of it is not checked: no sealed snapshot has an answer about it" },
    ]);
  });

  test("a struct added before a function type's struct: refused on nodes of generation B, which is what Movement's network runs", async () => {
    const [before, after] = [callback(["S"]), callback(["A", "S"])].map((parts) => moduleOf(parts).bytes) as [Uint8Array, Uint8Array];
    const folder = build([after]);
    const refused: Record<string, number> = {};
    for (const [name, chainId, args] of [
      ["B", 4, ["--node-generation", "B"]],
      ["C", 4, ["--node-generation", "C"]],
      ["unknown", 4, []],
      ["Movement", 126, []],
    ] as const) {
      const file = place.file(`${name}.db`);
      await sealModules(file, [{ version: 10n, accounts: { "0xcafe": [before] } }], undefined, chainId);
      const { json } = await runCli(["check", folder, "--against", file, "--json", ...args]);
      const { upgrade } = json() as { upgrade: { refused: number } };
      refused[name] = upgrade.refused;
      const modules = `${folder}/bytecode_modules`;
      const { code } = await runCli(["diff", "latest", modules, "--db", file, "--fail-on", "refused", ...args]);
      expect(code).toBe(upgrade.refused === 0 ? 0 : 100);
    }
    expect(refused).toEqual({ B: 1, C: 0, unknown: 0, Movement: 1 });
  });

  test("annotates a build in its source files, a module at a time, at most ten of a level; and writes SARIF", async () => {
    // What would be alike in ten modules is one annotation, so that each module's functions have names of their own.
    const others = (names: readonly string[]) =>
      Array.from({ length: 12 }, (_, i) => {
        const functions = names.map((name) => ({ name: `${name}${i || ""}`, visibility: "public" as const, entry: true }));
        return writeModule({ address: "0xcafe", name: `q${i}`, functions });
      });
    const ledger = place.file("annotated.db");
    const held = others(["f", "g"]);
    await sealModules(ledger, [{ version: 10n, accounts: { "0xcafe": [writeModule(pool), ...held] } }]);
    const folder = build([broken, ...others([])], []);
    const annotate = (format: string) => runCli(["check", folder, "--against", ledger, "--format", format]);
    const sources = folder.replace(/build\/Package$/, "sources");
    mkdirSync(sources);
    writeFileSync(
      `${sources}/all.move`,
      "module lib::pool {\n  fun other() {}\n}\nmodule lib::q0 {\n  struct S {}\n\n  native fun f();\n}\n",
    );
    const lines = (await annotate("github")).stdout.trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("::error"))).toHaveLength(11);
    expect(lines[0]).toMatch(/^::error file=[^,]*sources\/all.move,line=1,title=0xcafe%3A%3Apool%3A function-removed::/);
    expect(lines[1]).toMatch(
      /,line=7,title=0xcafe%3A%3Aq0%3A function-removed::function-removed function f: .*%0Afunction-removed function g: /,
    );
    expect(lines[9]).toBe("::error title=8 more findings of 4 modules::--format json lists them");
    const sarif = (await annotate("sarif")).json() as { version: string; runs: { results: Record<string, unknown>[] }[] };
    expect(sarif.version).toBe("2.1.0");
    expect(sarif.runs[0]?.results.filter(({ ruleId }) => ruleId === "function-removed")).toHaveLength(25);
    expect(sarif.runs[0]?.results[0]).toMatchObject({
      ruleId: "function-removed",
      level: "error",
      message: { text: expect.stringMatching(/^0xcafe::pool::swap: breaking for clients/) },
      locations: [
        { physicalLocation: { artifactLocation: { uri: expect.stringMatching(/sources\/all.move$/) }, region: { startLine: 1 } } },
      ],
    });
  });

  test("finds the build in a package's folder, and says what else it found", async () => {
    const folder = build([widened]).replace(/\/build\/Package$/, "");
    await ended(check(folder));
    await ended(check(`${folder}/build/Package/bytecode_modules`));
    cpSync(`${folder}/build/Package`, `${folder}/build/Other`, { recursive: true });
    const exported = place.file("exported");
    await ended(runCli(["export", exported, "--format", "mv", "--db", db]));
    const cases: readonly (readonly [string, string])[] = [
      [folder, "it has 2 builds: name one of"],
      [place.file("nowhere"), "there is no such folder"],
      [db, "it is a file"],
      [place.file("empty"), "holds no .mv file. Give a folder"],
      [exported, "holds no .mv file, but `"],
    ];
    mkdirSync(place.file("empty"));
    for (const [path, sentence] of cases) {
      const { code, stderr } = await check(path);
      expect([code, stderr]).toEqual([64, expect.stringContaining(sentence)]);
    }
  });

  test("runs as the steps of the workflow that ships with it", async () => {
    const file = fileURLToPath(new URL("../../../jobs/examples/check.github.yml", import.meta.url));
    const { env, jobs } = parse(readFileSync(file, "utf8")) as {
      env: Record<"ACCOUNTS" | "NETWORK", string>;
      jobs: { check: { steps: readonly { run?: string }[] } };
    };
    const [, read, , ...checks] = jobs.check.steps.flatMap(({ run }) => run ?? []);
    const sync = read?.trimEnd().split("\n").at(-1);
    expect([env.NETWORK, / "\$\{accounts\[@\]\}"$/.test(sync ?? "")]).toEqual(["aptos-mainnet", true]);
    expect(checks).toEqual([expect.stringContaining("--format github")]);

    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const night = place.file("workflow.db");
    const words = (line: string): string[] =>
      line
        .replace(/^movedex /, "")
        .replace(
          / "\$\{accounts.*$/,
          env.ACCOUNTS.split(" ")
            .map((account) => ` --account ${account}`)
            .join(""),
        )
        .replace('--network "$NETWORK"', `--rpc ${node.url} --rate 0`)
        .replace("night.db", night)
        .replace(/^check \. /, `check ${build([widened])} `)
        .split(" ");
    await ended(runCli(words(sync ?? "")));
    for (const line of checks) expect(await runCli(words(line))).toMatchObject({ code: 0, stderr: "" });
  });
});
