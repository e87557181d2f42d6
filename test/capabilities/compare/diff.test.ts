import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/index.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { formatNodeAbi } from "../../../src/core/abi/node-json/format.ts";
import { parseNodeAbi } from "../../../src/core/abi/node-json/parse.ts";
import { type CliResult, ended, row, runCli, sealModules, temporaryDirectory } from "../../support/index.ts";
import { leaveFewViews } from "../../support/store/few-views.ts";

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
const widened: ModuleSpec = { ...pool, functions: [...(pool.functions ?? []), { name: "depth", visibility: "public" }] };
const table = writeModule({ address: "0xcafe", name: "table", functions: [{ name: "f", abortCode: 1 }] });
const tableRecompiled = writeModule({ address: "0xcafe", name: "table", functions: [{ name: "f", abortCode: 2 }] });
const [old, now, safe] = [pool, upgraded, widened].map(writeModule) as [Uint8Array, Uint8Array, Uint8Array];
const asVersion = (bytes: Uint8Array, version: number) => bytes.with(4, version);

describe("movedex diff", async () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  const other = place.file("other.db");
  const diff = (...args: string[]): Promise<CliResult> => runCli(["diff", ...args, "--db", db]);

  await sealModules(
    db,
    [
      { version: 100n, accounts: { "0xcafe": [old, table], "0x1": [] } },
      { version: 200n, accounts: { "0xcafe": [now, tableRecompiled], "0x1": [] } },
      { version: 300n, accounts: { "0xcafe": "timeout", "0x1": [] } },
      { version: 400n, accounts: { "0xcafe": [asVersion(now, 99), tableRecompiled], "0x1": [] } },
      { version: 500n, accounts: { "0xcafe": [asVersion(now, 98), tableRecompiled], "0x1": [] } },
    ],
    (bytes) => (bytes[4] === 99 ? parseNodeAbi(formatNodeAbi(decodeModule(now).abi)) : undefined),
  );
  await sealModules(other, [{ version: 7n, accounts: { "0xcafe": [safe, table], "0x1": [] } }]);
  for (const path of [db, other]) leaveFewViews(path);

  test("exits by the level that it is told to fail on", async () => {
    await ended(diff("100", "200", "--fail-on", "breaking"), 100);
    expect((await diff("100", "200", "--fail-on", "breaking")).stdout).toContain("✗ breaking");
    await ended(diff("100", "200", "0xcafe::table", "--fail-on", "safe"));
    await ended(diff("100", "200", "0xcafe::table", "--fail-on", "silent"), 100);
    expect((await diff("100", "200", "table", "--json")).json()).toEqual((await diff("100", "200", "0xcafe::table", "--json")).json());
    await ended(diff("100", "100", "--fail-on", "silent"));
    expect((await diff("oldest", "100", "--fail-on", "silent")).stdout).toContain("0 modules changed, 2 the same: no findings\n");
  });

  test("fails on upgrades that the VM refuses, whomever the change concerns", async () => {
    const module = (parts: object): Uint8Array =>
      writeModule({ address: "0xcafe", name: "m", functions: [{ name: "f", entry: true, ...parts }] });
    const file = (name: string, bytes: Uint8Array): string => {
      writeFileSync(place.file(name), bytes);
      return place.file(name);
    };
    const cases: [severity: string, before: object, after: object][] = [
      ["safe", { params: ["signer"] }, { params: ["&signer"] }],
      ["safe", {}, { returns: ["u64"] }],
      ["dangerous", { typeParams: [""] }, { typeParams: ["drop"] }],
      ["dangerous", { visibility: "friend" }, {}],
    ];
    for (const [i, [severity, before, after]] of cases.entries()) {
      const [from, to] = [file(`refused-${i}.mv`, module(before)), file(`refusing-${i}.mv`, module(after))];
      const { code, stdout } = await diff(from, to, "--fail-on", "refused");
      expect([code, stdout]).toEqual([100, expect.stringContaining("; the VM refuses 1")]);
      expect(stdout).toContain(`✗ ${severity}`);
      await ended(diff(from, to, "--fail-on", "breaking"), 100);
      await ended(diff(from, to, "--fail-on", "refused", "--audience", "readers"), 100);
      expect((await diff(to, from, "--fail-on", "breaking")).code).toBe(i === 1 || i === 0 ? 100 : 0);
    }
    await ended(diff("100", "200", "0xcafe::table", "--fail-on", "refused"));
  });

  test("counts for the audiences it is told of alone", async () => {
    const { stdout } = await ended(diff("100", "200", "--for", "readers", "--fail-on", "breaking"));
    expect(stdout).not.toContain("parameters-changed");
    await ended(diff("100", "200", "--for", "readers", "--for", "clients", "--fail-on", "breaking"), 100);
    await ended(diff("100", "200", "--audience", "readers", "--fail-on", "breaking"));
    expect((await diff("100", "200", "--for", "everybody")).stderr).toContain("Give one of callers, clients, readers");
  });

  test("compares files and folders with each other and with a database", async () => {
    const folder = place.file("build");
    mkdirSync(folder);
    writeFileSync(join(folder, "pool.mv"), now);
    writeFileSync(join(folder, "extra.mv"), writeModule({ address: "0xcafe", name: "extra" }));
    const file = place.file("old.mv");
    writeFileSync(file, old);
    expect((await diff("100", folder)).stdout).toContain(
      "1 module changed, 1 new, 0 the same: 1 breaking, 1 behaviour, 1 safe, 1 silent; the VM refuses 1\n",
    );
    expect((await diff(file, join(folder, "pool.mv"))).stdout).toContain("parameters-changed");
    const renamed = await diff(file, join(folder, "extra.mv"));
    expect(renamed.stdout).toContain("  breaking  module-renamed\n    - 0xcafe::pool\n    + 0xcafe::extra\n");
    // An account that nobody asked about may hold anything.
    const strange = place.file("strange.mv");
    writeFileSync(strange, writeModule({ address: "0xbeef", name: "m" }));
    const unknown = await ended(diff("100", strange), 101);
    expect(unknown.stdout).toContain("0xbeef: ledger version 100 of night.db: it was not asked about 0xbeef");
  });

  test("of an account, previous and oldest are the snapshots that have an answer about it; latest is the latest", async () => {
    const gappy = place.file("gappy.db");
    await sealModules(gappy, [
      { version: 10n, accounts: { "0x1": [] } },
      { version: 20n, accounts: { "0xcafe": [old], "0x1": [] } },
      { version: 30n, accounts: { "0xcafe": "timeout", "0x1": [] } },
      { version: 40n, accounts: { "0xcafe": [now], "0x1": [] } },
    ]);
    const told = await ended(runCli(["diff", "previous", "latest", "0xcafe::pool", "--fail-on", "breaking", "--db", gappy]), 100);
    expect(told.stdout).toContain("ledger version 20 of gappy.db");
    await ended(runCli(["diff", "oldest", "latest", "0xcafe::pool", "--fail-on", "breaking", "--db", gappy]), 100);
    expect((await runCli(["diff", "previous", "latest", "--db", gappy])).stdout).toContain("0xcafe gave no answer (timeout)");
    await ended(runCli(["show", "0xcafe::pool@previous", "--db", gappy]));
    await sealModules(gappy, [{ version: 50n, accounts: { "0xcafe": "timeout", "0x1": [] } }]);
    await ended(runCli(["diff", "previous", "latest", "0xcafe::pool", "--db", gappy]), 101);
  });

  test("takes previous and oldest from what covers an account, where a backfilled snapshot was not asked about it", async () => {
    const backfilled = place.file("backfilled.db");
    const accounts = (code: Uint8Array) => ({ "0xcafe": [code], "0xbeef": [table], "0x1": [] });
    await sealModules(backfilled, [
      { version: 30n, accounts: accounts(old) },
      { version: 40n, accounts: accounts(now) },
      { version: 20n, accounts: { "0x1": [], "0xbeef": [table] } },
      { version: 35n, accounts: { "0x1": [] } },
    ]);
    const run = (...args: string[]) => runCli(["diff", ...args, "--db", backfilled]);
    const previous = await run("previous", "latest", "--fail-on", "breaking");
    expect([previous.code, previous.stderr]).toEqual([100, ""]);
    expect(previous.stdout).toMatch(
      /^ledger version 35 of backfilled\.db \(2 accounts that it was not asked about: from others\) → ledger version 40 of backfilled\.db\n1 module changed, 1 the same:/,
    );
    expect(previous.stdout).not.toContain("could not be compared");
    expect((await run("oldest", "latest")).stdout).toContain("ledger version 20 of backfilled.db (1 account that");
    // A version that was named is taken as it is.
    await ended(run("35", "latest"), 101);
  });

  test("never calls clean what it could not compare", async () => {
    const gap = await ended(diff("200", "300"), 101);
    expect(gap.stdout).toContain(
      "0 modules changed, 0 the same: no findings\n\nCould not be compared\n  0xcafe: ledger version 300 of night.db: 0xcafe gave no answer (timeout)\n",
    );
    const unreadable = await ended(diff("200", "500", "0xcafe::pool"), 101);
    expect(unreadable.stdout).toContain("0xcafe::pool: ledger version 500 of night.db: module: bytecode version 98");
    const absent = async (subject: string) => (await ended(diff("100", "200", subject), 101)).stdout;
    expect(await absent("0xcafe::nothing")).toContain("\n  neither side holds 0xcafe::nothing.\n");
    expect(await absent("0xcafe::pol")).toContain("\n  neither side holds 0xcafe::pol. Did you mean `pool`?\n");
    expect(await absent("0x1")).toContain("\n  neither side holds a module of 0x1.\n");
    expect(await absent("0x77::pool")).toContain("\n  ledger version 100 of night.db: it was not asked about 0x77\n");
  });

  test("compares by a node's ABI what it cannot read itself, and says that this is not all", async () => {
    const told = await ended(diff("100", "400", "0xcafe::pool", "--fail-on", "breaking"), 100);
    expect(told.stdout).toContain("parameters-changed");
    expect(told.stdout).toContain("its bytecode is newer than this movedex; only what a node's ABI shows was compared");
    await ended(diff("200", "400", "0xcafe::pool"), 101);
  });

  test("weighs breaks by who refers to the item", async () => {
    const used = place.file("used.db");
    const user = writeModule({ address: "0xbeef", name: "user", functions: [{ name: "g", params: ["0xcafe::pool::Share"] }] });
    const gone = writeModule({ ...pool, structs: [], functions: [] });
    await sealModules(used, [
      { version: 1n, accounts: { "0xcafe": [old], "0xbeef": [user], "0xdead": "timeout" } },
      { version: 2n, accounts: { "0xcafe": [gone], "0xbeef": [user], "0xdead": "timeout" } },
    ]);
    const { stdout } = await runCli(["diff", "1", "2", "0xcafe", "--audience", "callers", "--db", used]);
    expect(stdout).toContain(
      "  breaking  struct-removed  struct Share\n    - struct Share has store\n    breaking for callers; the VM refuses such an upgrade\n    1 module of other accounts refers to it: 0xbeef::user\n",
    );
    expect(stdout).toContain(
      "  dangerous  function-removed  function quote\n    - public fun quote(u64): u64\n    dangerous for callers; the VM refuses such an upgrade\n    no module of another account refers to it\n",
    );
    expect(stdout).toContain(
      "users were looked for in 2 accounts held at ledger version 2 and not in 1 that gave no answer; others are not known.\n",
    );
  });

  test("weighs what concerns friends by whether they link with it as they are now", async () => {
    const friendly = (functions: readonly string[], friends: readonly string[]) =>
      writeModule({
        address: "0xcafe",
        name: "core",
        functions: functions.map((name) => ({ name, visibility: "friend" as const })),
        friends,
      });
    const using = (name: string, used: readonly string[]) =>
      writeModule({
        address: "0xcafe",
        name,
        functions: [{ name: "g", code: [...used.map((_, i) => row(0x11, 1 + i)), row(0x02)] }],
        imports: used.map((fn) => ({ module: "0xcafe::core", name: fn })),
      });
    const db = place.file("friends.db");
    await sealModules(db, [
      {
        version: 1n,
        accounts: { "0xcafe": [friendly(["a", "b"], ["0xcafe::x", "0xcafe::y"]), using("x", ["a"]), using("y", ["b"])] },
      },
      { version: 2n, accounts: { "0xcafe": [friendly([], []), using("x", []), using("y", ["b"])] } },
    ]);
    // As a snapshot, as files, and as a build.
    const folder = place.file("friends");
    mkdirSync(folder);
    for (const [i, bytes] of [friendly([], []), using("x", []), using("y", ["b"])].entries()) writeFileSync(`${folder}/m${i}.mv`, bytes);
    for (const args of [
      ["diff", "1", "2", "--db", db],
      ["diff", "1", folder, "--db", db],
      ["check", folder, "--at", "1", "--against", db],
    ]) {
      const { stdout } = await runCli(args);
      expect(stdout).toMatch(/breaking {2}function-removed {2}function b\n[\s\S]*1 function of 1 module calls it: 0xcafe::y::g\n/);
      expect(stdout).toMatch(/safe {2}function-removed {2}function a\n[\s\S]*safe {2}friend-removed {2}friend 0xcafe::x\n/);
      expect(stdout).toContain("breaking  friend-removed  friend 0xcafe::y\n");
    }
  });

  test("names who refers to a module that was removed, and says where nobody does", async () => {
    const using = (address: string, used: readonly string[]) =>
      writeModule({ address, name: "user", imports: used.map((name) => ({ module: `0xcafe::${name}`, name: "g" })) });
    const left = (name: string) => writeModule({ address: "0xcafe", name, functions: [{ name: "g", visibility: "public" }] });
    const [before, after, other] = ["before", "after", "other"].map((name) => place.file(`removed-${name}.db`)) as [string, string, string];
    const old = { "0xbeef": [using("0xbeef", ["core"])], "0xcafe": [left("core"), left("unused"), using("0xcafe", ["unused"])] };
    const now = { "0xbeef": old["0xbeef"], "0xcafe": [using("0xcafe", [])] };
    await sealModules(before, [{ version: 1n, accounts: old }]);
    await sealModules(other, [{ version: 1n, accounts: now }]);
    await sealModules(after, [
      { version: 1n, accounts: old },
      { version: 2n, accounts: now },
    ]);
    for (const args of [
      ["1", "2", "--db", after],
      [before, other],
    ]) {
      const { stdout } = await runCli(["diff", ...args]);
      expect(stdout).toMatch(
        /0xcafe::core[\s\S]*breaking for callers, clients, and readers[\s\S]*1 module of other accounts refers to it: 0xbeef::user\n/,
      );
      expect(stdout).toMatch(
        /0xcafe::unused[\s\S]*dangerous for callers; the VM refuses such an upgrade\n +no module of another account refers to it\n/,
      );
    }
  });

  test("is silent between snapshots on a function that calls directly now what another module called for it", async () => {
    const calling = (name: string, fn: string, [module, callee]: readonly [string, string]) =>
      writeModule({
        address: "0xcafe",
        name,
        functions: [{ name: fn, visibility: "public", code: [row(0x11, 1), row(0x02)] }],
        imports: [{ module: `0xcafe::${module}`, name: callee }],
      });
    const base = writeModule({ address: "0xcafe", name: "base", functions: [{ name: "pay", visibility: "public", abortCode: 7 }] });
    const low = calling("low", "check", ["base", "pay"]);
    const db = place.file("across.db");
    await sealModules(db, [
      { version: 1n, accounts: { "0xcafe": [base, low, calling("mid", "pass", ["low", "check"])] } },
      { version: 2n, accounts: { "0xcafe": [base, low, calling("mid", "pass", ["base", "pay"])] } },
      { version: 3n, accounts: { "0xcafe": [base, low, calling("mid", "pass", ["base", "other"])] } },
    ]);
    const found = async (from: string, to: string) => (await runCli(["diff", from, to, "0xcafe", "--json", "--db", db])).json();
    expect(await found("1", "2")).toMatchObject({ findings: { behaviour: 0 }, carried: [] });
    expect(await found("2", "3")).toMatchObject({ findings: { behaviour: 1 } });
  });

  test.each([
    [["100"], "give two things to compare"],
    [["100", "150"], "holds no snapshot at ledger version 150; the nearest: 100 and 200."],
    [["100", "nowhere.db"], "cannot compare `nowhere.db`"],
    [["100", "200", "pol"], "no module called `pol` is held. Did you mean `pool`?"],
    [[other, other, "pool"], "the third argument of diff is"],
    [["100", "200", "0xcafe::pool@7"], "the third argument of diff is"],
    [["100", "99999999999999999999999"], "`99999999999999999999999` is not a ledger version"],
  ])("says of %j what was wanted", async (args, sentence) => {
    const { code, stderr } = await diff(...args);
    expect(code).toBe(/holds no snapshot|is held/.test(sentence) ? 1 : 64);
    expect(stderr).toContain(sentence);
  });
});
