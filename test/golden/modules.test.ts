import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { type ModuleSpec, writeModule } from "../../sim/index.ts";
import { exchangeAddress, exchangeModules } from "../../sim/sample/exchange.ts";
import { runCli } from "../support/run-cli.ts";
import { goldenOutputs, useGoldenPlace } from "./support/golden.ts";
import { core, releaseModules } from "./support/wide-archive.ts";

// What commands print of modules: one alone, two beside each other, and who uses what.

useGoldenPlace({ withWide: true });

const [pool, router, curve] = exchangeModules.atFirst;
const { upgradedPool, newModule } = exchangeModules;

const writeFiles = (folder: string, modules: readonly Uint8Array[]): void => {
  mkdirSync(folder, { recursive: true });
  for (const [i, bytes] of modules.entries()) writeFileSync(`${folder}/m${i}.mv`, bytes);
};
const makeFiles = (): void => {
  writeFiles("old", [writeModule(pool), writeModule(curve)]);
  writeFiles("new", [writeModule(upgradedPool), writeModule(curve), writeModule(newModule)]);
  writeFileSync("broken.mv", writeModule(pool).subarray(0, 40));
};

/** A build with sources, and with what it was built against. */
const makeBuild = (name: string, modules: readonly ModuleSpec[]): void => {
  const folder = `${name}/build/${name}`;
  writeFiles(`${folder}/bytecode_modules`, modules.map(writeModule));
  const event: ModuleSpec = { address: "0x1", name: "event", functions: [{ name: "emit", visibility: "public" }] };
  writeFiles(`${folder}/bytecode_modules/dependencies/Framework`, [writeModule(event)]);
  mkdirSync(`${name}/sources`, { recursive: true });
  writeFileSync(`${name}/sources/curve.move`, `module ${exchangeAddress}::curve {\n    public fun out_for_in() {}\n}\n`);
};
const makeBuilds = (): void => {
  const [first, ...rest] = curve.functions ?? [];
  makeBuild("Good", [{ ...curve, functions: [{ name: "slope", visibility: "public" }, ...(curve.functions ?? [])] }, router]);
  makeBuild("Bad", [
    { ...curve, functions: [{ ...first, name: "out_for_in", params: ["u64", "u64"] }, ...rest.slice(1)] },
    { ...router, imports: [...(router.imports ?? []), { module: `${exchangeAddress}::pool`, name: "spot_price", returns: ["u128"] }] },
  ]);
  writeFiles("Core", [core(true)]);
  writeFiles("Two", [...releaseModules(true).slice(0, 6), core(true)]);
};

/** A package that uses others of the wide archive, locked at its first snapshot. */
const lockApp = async (): Promise<void> => {
  const folder = "App/build/App/bytecode_modules";
  const imports = [
    { module: "0xbeef::m01", name: "run01" },
    { module: "0xbeef::m02", name: "old" },
    { module: "0xd00d::caller", name: "c09" },
  ];
  const structs = [{ name: "Mine", fields: [["thing", "0xcafe::core::Thing"]] as const }];
  writeFiles(folder, [writeModule({ address: "0xabc", name: "app", structs, imports })]);
  writeFiles(`${folder}/dependencies/Core`, [core(false)]);
  rmSync("movedex.lock", { force: true });
  await runCli(["lock", "App", "--against", "wide.db", "--at", "100", "--vendor", "vendor"]);
};
const locked = { prepare: lockApp };

goldenOutputs("lock", [
  ["written.txt", "lock App App/new.lock --against wide.db --at 100", locked],
  ["movedex.lock", "lock --check --against wide.db --at 100", { ...locked, written: "movedex.lock" }],
  ["same.txt", "lock --check --against wide.db --at 100", locked],
  ["changed.txt", "lock --check --against wide.db", locked],
  ["changed-coloured.txt", "lock --check --against wide.db", { ...locked, isColoured: true }],
  ["changed.json", "lock --check --against wide.db --json", { ...locked, code: 100 }],
  ["changed.md", "lock --check --against wide.db --format markdown", { ...locked, code: 100 }],
  ["update.txt", "lock App --update --against wide.db", locked],
  ["vendored.txt", "lock App --check --vendor vendor", { ...locked, env: { DATABASE_URL: "" }, lists: "vendor" }],
  ["there.txt", "lock App --against wide.db", locked],
  ["unread.txt", "lock --check --against night.db", locked],
  ["no-lock.txt", "lock --check none.lock"],
  ["no-file.txt", "lock --check App App"],
  ["no-folder.txt", "lock App none/movedex.lock --against wide.db --at 100", locked],
  ["not-held.txt", "lock App App/other.lock", locked],
]);

goldenOutputs("show", [
  ["module.txt", "show pool"],
  ["module-all.txt", "show 0x1::coin --all"],
  ["module-code.txt", "show curve --all --code"],
  ["module-coloured.txt", "show orders", { isColoured: true }],
  ["older.txt", "show pool@2592000"],
  ["function.txt", "show pool::quote"],
  ["function-code.txt", "show pool::quote --code"],
  ["struct.txt", "show orders::Order"],
  ["account.txt", "show 0x1"],
  ["account-empty.txt", "show 0xdead"],
  ["file.txt", "show old/m0.mv", { prepare: makeFiles }],
  ["unknown.txt", "show pol"],
  ["ambiguous.txt", "show twin --db wide.db"],
  ["not-held.txt", "show pool@5"],
  ["no-answer.txt", "show vesting@3456004"],
  ["module.json", "show pool --json"],
  ["module-code.json", "show curve --json --code"],
  ["account.json", "show 0x1 --json"],
  ["unknown.json", "show pol --json", { code: 1 }],
]);

goldenOutputs("diff", [
  ["day.txt", "diff 2592000 3456004"],
  ["day-coloured.txt", "diff 2592000 3456004", { isColoured: true }],
  ["day.json", "diff 2592000 3456004 --json", { code: 101 }],
  ["day.md", "diff 2592000 3456004 --format markdown", { code: 101 }],
  ["day.github", "diff 2592000 3456004 --format github --fail-on dangerous", { code: 100 }],
  ["callers.txt", "diff 2592000 6912000 --for callers"],
  ["same.txt", "diff previous latest"],
  ["files.txt", "diff old new", { prepare: makeFiles }],
  ["code.txt", "diff 100 200 0xcafe::core --code --db wide.db"],
  ["code.json", "diff 100 200 0xbeef::m01 --code --db wide.db --json"],
  ["wide.txt", "diff 100 200 0xcafe --db wide.db"],
  ["wide.md", "diff 100 200 0xcafe --db wide.db --format markdown"],
  ["wide.github", "diff 100 200 --db wide.db --format github"],
  ["module.github", "diff 100 200 0xcafe::core --db wide.db --format github"],
  ["other-archive.txt", "diff wide.db@100 night.db"],
  ["not-held.txt", "diff 5 latest"],
  ["not-held.json", "diff 5 latest --json", { code: 1 }],
]);

goldenOutputs("check", [
  ["good.txt", "check Good", { prepare: makeBuilds }],
  ["bad.txt", "check Bad", { prepare: makeBuilds }],
  ["bad-coloured.txt", "check Bad", { prepare: makeBuilds, isColoured: true }],
  ["bad.json", "check Bad --json", { prepare: makeBuilds, code: 100 }],
  ["bad.github", "check Bad --format github", { prepare: makeBuilds, code: 100 }],
  ["bad.sarif", "check Bad --format sarif", { prepare: makeBuilds, code: 100 }],
  ["users.txt", "check Core --against wide.db --at 100", { prepare: makeBuilds }],
  ["two-accounts.txt", "check Two --against wide.db --at 100", { prepare: makeBuilds }],
  ["no-build.txt", "check nothing"],
]);

goldenOutputs("uses", [
  ["function.txt", "uses 0xd00d::caller::c01 --db wide.db"],
  ["called.txt", "uses core::f01@100 --db wide.db"],
  ["called-limit.txt", "uses core::pack --limit 3 --db wide.db"],
  ["module.txt", "uses core@100 --db wide.db --limit 30"],
  ["struct.txt", "uses 0x1::coin::Coin"],
  ["called.json", "uses core::f01@100 --db wide.db --json"],
  ["struct.json", "uses 0x1::coin::Coin --json"],
  ["called.dot", "uses core::f01@100 --db wide.db --format dot"],
  ["unknown.txt", "uses coin::Con"],
]);

goldenOutputs("explain", [
  ["code.txt", "explain pool 3"],
  ["category.txt", "explain 0x1::coin 0x10002"],
  ["older.txt", "explain pool@2592000 3"],
  ["name.txt", "explain EFROZEN"],
  ["status.txt", "explain OUT_OF_GAS"],
  ["message.txt", 'explain "Move abort in 0x1::coin: EFROZEN(0x50001): The store is frozen"'],
  ["number.txt", "explain 65539"],
  ["module.txt", "explain vesting"],
  ["nothing.txt", "explain gibberish"],
  ["account.txt", 'explain "Account not found by Address(0x1) and Ledger version(4320000)"'],
  ["code.json", "explain pool 3 --json"],
  ["status.json", "explain OUT_OF_GAS --json"],
  ["message.json", 'explain "Move abort in 0x1::coin: EFROZEN(0x50001): The store is frozen" --json'],
]);

/** Modules as bytecode and as texts, and what is none. */
const makeTexts = (): void => {
  const functions = [{ name: "hidden" }, { name: "f", visibility: "public" }] as const;
  const coin = Buffer.from(writeModule({ version: 7, address: "0xcafe", name: "coin", functions }));
  const other = writeModule({ version: 6, address: "0x1", name: "other" });
  const newer = writeModule({ version: 11, address: "0x1", name: "newer" });
  const hex = coin.toString("hex");
  const files = {
    "coin.mv": coin,
    "other.mv": other,
    "newer.mv": newer,
    "cut.mv": coin.subarray(0, 40),
    "text.mv": "hello",
    hex: `0x${hex}\n`,
    lines: `${hex.slice(0, 60)}\n${hex.slice(60)}`,
    base64: coin.toString("base64"),
    base64url: coin.toString("base64url"),
    "string.json": `"0x${hex}"\n`,
    "module.json": JSON.stringify({ bytecode: `0x${hex}`, abi: {} }),
    "account.json": JSON.stringify([{ bytecode: `0x${hex}` }, { bytecode: `0x${Buffer.from(other).toString("hex")}`, abi: null }]),
    "partly.json": JSON.stringify([{ bytecode: `0x${hex}` }, { abi: null }, "0x", { bytecode: `0x${hex}` }]),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(name, content);
};
const texts = { prepare: makeTexts };

goldenOutputs("decode", [
  ["in-their-order.jsonl", "decode other.mv coin.mv other.mv", texts],
  ["texts.jsonl", "decode hex lines base64 base64url string.json module.json account.json", texts],
  ["no-modules.jsonl", "decode text.mv cut.mv newer.mv coin.mv", { ...texts, code: 2 }],
  ["partly.jsonl", "decode partly.json", { ...texts, code: 2 }],
  ["unreadable.jsonl", "decode nothing.mv old /dev/null", { prepare: makeFiles, code: 2 }],
  ["module.json", "decode old/m0.mv", { prepare: makeFiles }],
  ["module-full.json", "decode old/m0.mv --full", { prepare: makeFiles }],
  ["broken.txt", "decode old/m1.mv broken.mv", { prepare: makeFiles }],
  ["missing.txt", "decode none.mv"],
]);
