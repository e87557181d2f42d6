import { mkdirSync, writeFileSync } from "node:fs";
import { beforeAll } from "vitest";
import { type ModuleSpec, writeModule } from "../../sim/index.ts";
import { decodeModule } from "../../src/core/abi/decode.ts";
import { formatNodeAbi } from "../../src/core/abi/node-json/format.ts";
import { parseNodeAbi } from "../../src/core/abi/node-json/parse.ts";
import { row, sealModules } from "../support/index.ts";
import { goldenOutputs, useGoldenPlace } from "./support/golden.ts";

// What `diff` takes to be the two sides, what it cannot compare, and how it weighs what it finds.

useGoldenPlace();

const pool: ModuleSpec = {
  address: "0xcafe",
  name: "pool",
  structs: [{ name: "Share", abilities: ["store"], fields: [["value", "u64"]] }],
  functions: [
    { name: "swap", visibility: "public", entry: true, params: ["&signer", "u64"] },
    { name: "quote", visibility: "public", params: ["u64"], returns: ["u64"] },
  ],
};
const upgraded: ModuleSpec = {
  ...pool,
  functions: [
    { name: "swap", visibility: "public", entry: true, params: ["&signer", "u64", "u64"] },
    { name: "quote", visibility: "public", params: ["u64"], returns: ["u64"], abortCode: 9 },
  ],
};
const [old, now] = [pool, upgraded].map(writeModule) as [Uint8Array, Uint8Array];
const table = (abortCode: number) => writeModule({ address: "0xcafe", name: "table", functions: [{ name: "f", abortCode }] });
const asVersion = (bytes: Uint8Array, version: number) => bytes.with(4, version);

function writeFiles(folder: string, modules: Readonly<Record<string, Uint8Array>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(modules)) writeFileSync(`${folder}/${name}.mv`, bytes);
}

/** In the fourth night bytecode that is too new, of which a node's ABI is held; in the fifth one of which none is. */
beforeAll(async () => {
  await sealModules(
    "pools.db",
    [
      { version: 100n, accounts: { "0xcafe": [old, table(1)], "0x1": [] } },
      { version: 200n, accounts: { "0xcafe": [now, table(2)], "0x1": [] } },
      { version: 300n, accounts: { "0xcafe": "timeout", "0x1": [] } },
      { version: 400n, accounts: { "0xcafe": [asVersion(now, 99), table(2)], "0x1": [] } },
      { version: 500n, accounts: { "0xcafe": [asVersion(now, 98), table(2)], "0x1": [] } },
    ],
    (bytes) => (bytes[4] === 99 ? parseNodeAbi(formatNodeAbi(decodeModule(now).abi)) : undefined),
  );
  writeFiles("build", { pool: now, extra: writeModule({ address: "0xcafe", name: "extra" }) });
  writeFiles(".", { old, strange: writeModule({ address: "0xbeef", name: "m" }) });
});

goldenOutputs("diff-sides", [
  ["breaking.txt", "diff 100 200 --db pools.db --fail-on breaking"],
  ["below-the-level.txt", "diff 100 200 0xcafe::table --db pools.db --fail-on safe"],
  ["at-the-level.txt", "diff 100 200 table --db pools.db --fail-on silent"],
  ["not-refused.txt", "diff 100 200 table --db pools.db --fail-on refused"],
  ["nothing-changed.txt", "diff oldest 100 --db pools.db --fail-on silent"],
  ["for-readers.txt", "diff 100 200 --db pools.db --for readers --fail-on breaking"],
  ["of-readers.txt", "diff 100 200 --db pools.db --audience readers --fail-on breaking"],
  ["for-readers-and-clients.txt", "diff 100 200 --db pools.db --for readers --for clients --fail-on breaking"],
  ["for-everybody.txt", "diff 100 200 --db pools.db --for everybody"],
  ["folder.txt", "diff 100 build --db pools.db"],
  ["two-files.txt", "diff old.mv build/pool.mv --db pools.db"],
  ["renamed-file.txt", "diff old.mv build/extra.mv --db pools.db"],
  // An account that nobody asked about may hold anything.
  ["account-not-asked.txt", "diff 100 strange.mv --db pools.db"],
  ["gap.txt", "diff 200 300 --db pools.db"],
  ["unreadable.txt", "diff 200 500 0xcafe::pool --db pools.db"],
  ["on-neither-side.txt", "diff 100 200 0xcafe::nothing --db pools.db"],
  ["on-neither-side-with-a-slip.txt", "diff 100 200 0xcafe::pol --db pools.db"],
  ["account-on-neither-side.txt", "diff 100 200 0x1 --db pools.db"],
  ["module-not-asked.txt", "diff 100 200 0x77::pool --db pools.db"],
  ["by-a-nodes-abi.txt", "diff 100 400 0xcafe::pool --db pools.db --fail-on breaking"],
  ["the-same-by-a-nodes-abi.txt", "diff 200 400 0xcafe::pool --db pools.db"],
  ["one-side.txt", "diff 100 --db pools.db"],
  ["between-snapshots.txt", "diff 100 150 --db pools.db"],
  ["no-file.txt", "diff 100 nowhere.db --db pools.db"],
  ["module-with-a-slip.txt", "diff 100 200 pol --db pools.db"],
  ["name-of-two-databases.txt", "diff pools.db pools.db pool --db pools.db"],
  ["module-at-a-version.txt", "diff 100 200 0xcafe::pool@7 --db pools.db"],
  ["no-version.txt", "diff 100 99999999999999999999999 --db pools.db"],
]);

// Of an account, previous and oldest are the snapshots that have an answer about it; latest is the latest.
const backfilled = (code: Uint8Array) => ({ "0xcafe": [code], "0xbeef": [table(1)], "0x1": [] });
beforeAll(async () => {
  const gappy = [
    { version: 10n, accounts: { "0x1": [] } },
    { version: 20n, accounts: { "0xcafe": [old], "0x1": [] } },
    { version: 30n, accounts: { "0xcafe": "timeout", "0x1": [] } },
    { version: 40n, accounts: { "0xcafe": [now], "0x1": [] } },
  ] as const;
  await sealModules("gappy.db", gappy);
  await sealModules("gap.db", [...gappy, { version: 50n, accounts: { "0xcafe": "timeout", "0x1": [] } }]);
  await sealModules("backfilled.db", [
    { version: 30n, accounts: backfilled(old) },
    { version: 40n, accounts: backfilled(now) },
    { version: 20n, accounts: { "0x1": [], "0xbeef": [table(1)] } },
    { version: 35n, accounts: { "0x1": [] } },
  ]);
});

goldenOutputs("diff-words", [
  ["previous.txt", "diff previous latest 0xcafe::pool --db gappy.db"],
  ["oldest.txt", "diff oldest latest 0xcafe::pool --db gappy.db"],
  ["show-previous.txt", "show 0xcafe::pool@previous --db gappy.db"],
  ["previous-of-all.txt", "diff previous latest --db gappy.db"],
  ["latest-is-a-gap.txt", "diff previous latest 0xcafe::pool --db gap.db"],
  ["previous-was-backfilled.txt", "diff previous latest --db backfilled.db"],
  ["oldest-was-backfilled.txt", "diff oldest latest --db backfilled.db"],
  // A version that was named is taken as it is.
  ["backfilled-by-number.txt", "diff 35 latest --db backfilled.db"],
]);

const calling = (name: string, fn: string, [module, callee]: readonly [string, string]) =>
  writeModule({
    address: "0xcafe",
    name,
    functions: [{ name: fn, visibility: "public", code: [row(0x11, 1), row(0x02)] }],
    imports: [{ module: `0xcafe::${module}`, name: callee }],
  });
const friendly = (functions: readonly string[], friends: readonly string[]) =>
  writeModule({
    address: "0xcafe",
    name: "core",
    functions: functions.map((name) => ({ name, visibility: "friend" as const })),
    friends,
  });
const using = (address: string, name: string, used: readonly (readonly [module: string, fn: string])[]) =>
  writeModule({
    address,
    name,
    functions: [{ name: "g", code: [...used.map((_, i) => row(0x11, 1 + i)), row(0x02)] }],
    imports: used.map(([module, fn]) => ({ module: `0xcafe::${module}`, name: fn })),
  });

beforeAll(async () => {
  const user = writeModule({ address: "0xbeef", name: "user", functions: [{ name: "g", params: ["0xcafe::pool::Share"] }] });
  const gone = writeModule({ ...pool, structs: [], functions: [] });
  await sealModules("used.db", [
    { version: 1n, accounts: { "0xcafe": [old], "0xbeef": [user], "0xdead": "timeout" } },
    { version: 2n, accounts: { "0xcafe": [gone], "0xbeef": [user], "0xdead": "timeout" } },
  ]);
  const [x, y] = [using("0xcafe", "x", [["core", "a"]]), using("0xcafe", "y", [["core", "b"]])];
  const apart = { core: friendly([], []), x: using("0xcafe", "x", []), y };
  await sealModules("friends.db", [
    { version: 1n, accounts: { "0xcafe": [friendly(["a", "b"], ["0xcafe::x", "0xcafe::y"]), x, y] } },
    { version: 2n, accounts: { "0xcafe": Object.values(apart) } },
  ]);
  writeFiles("friends", apart);
  const left = (name: string) => writeModule({ address: "0xcafe", name, functions: [{ name: "g", visibility: "public" }] });
  const held = { "0xbeef": [using("0xbeef", "user", [["core", "g"]])] };
  const [before, after] = [
    { version: 1n, accounts: { ...held, "0xcafe": [left("core"), left("unused"), using("0xcafe", "user", [["unused", "g"]])] } },
    { version: 2n, accounts: { ...held, "0xcafe": [using("0xcafe", "user", [])] } },
  ] as const;
  await sealModules("removed.db", [before, after]);
  await sealModules("before.db", [before]);
  await sealModules("after.db", [after]);
  const base = writeModule({ address: "0xcafe", name: "base", functions: [{ name: "pay", visibility: "public", abortCode: 7 }] });
  const low = calling("low", "check", ["base", "pay"]);
  await sealModules("across.db", [
    { version: 1n, accounts: { "0xcafe": [base, low, calling("mid", "pass", ["low", "check"])] } },
    { version: 2n, accounts: { "0xcafe": [base, low, calling("mid", "pass", ["base", "pay"])] } },
    { version: 3n, accounts: { "0xcafe": [base, low, calling("mid", "pass", ["base", "other"])] } },
  ]);
});

goldenOutputs("diff-users", [
  ["referred-to.txt", "diff 1 2 0xcafe --audience callers --db used.db"],
  // Friends by whether they link with it as they are now: as a snapshot, as files, and as a build.
  ["friends.txt", "diff 1 2 --db friends.db"],
  ["friends-of-files.txt", "diff 1 friends --db friends.db"],
  ["friends-of-a-build.txt", "check friends --at 1 --against friends.db"],
  ["removed.txt", "diff 1 2 --db removed.db"],
  ["removed-between-databases.txt", "diff before.db after.db"],
  // A function that calls directly now what another module called for it does the same; one that calls another does not.
  ["called-directly.txt", "diff 1 2 0xcafe --db across.db"],
  ["calls-another.txt", "diff 2 3 0xcafe --db across.db"],
]);
