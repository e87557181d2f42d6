import { afterAll, beforeAll, describe, expect } from "vitest";
import { writeModule } from "../../sim/module-writer/module-writer.ts";
import { closing } from "../../src/core/base/async.ts";
import { kinds } from "../../src/core/db/schema/column.ts";
import { viewList } from "../../src/core/db/schema/views/views.ts";
import * as movedex from "../../src/index.ts";
import { type Archive, compareModules, explainAbort, openArchive, readInterface } from "../../src/index.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { isLongRun } from "../run-size.ts";
import { sealModules, temporaryDirectory, test } from "../support/index.ts";
import { sharedServers } from "../support/postgres/servers.ts";

const coin = (abortCode: number): Uint8Array =>
  writeModule({
    address: "0x1",
    name: "coin",
    functions: [
      { name: "value", visibility: "public", returns: ["u64"], abortCode },
      { name: "check", params: ["u64"] },
    ],
    errors: [{ code: abortCode, name: `E${abortCode}`, description: "Too few" }],
  });
const [old, now] = [coin(6), coin(7)];
const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`;

test("exports what is promised", () => {
  const values = ["DecodeError", "MovedexError", "compareModules", "decodeModule", "explainAbort", "formatNodeAbi", "formatSignature"];
  expect(Object.keys(movedex).toSorted()).toEqual([...values, "openArchive", "readInterface", "worstSeverity"]);
});

describe("readInterface", () => {
  test("reads bytecode, a node's JSON of a module, and a node's ABI", () => {
    const { id, bytecodeVersion, text, abi } = readInterface(old);
    expect([id, bytecodeVersion, abi.functions.length]).toEqual(["0x1::coin", 7, 2]);
    expect(text).toContain("public fun value(): u64;");
    expect(readInterface({ bytecode: hex(old) })).toEqual(readInterface(old));
    const told = readInterface(movedex.formatNodeAbi(abi));
    expect(told).toMatchObject({ id: "0x1::coin", bytecodeVersion: undefined, abi: { errors: [] } });
    expect(told.text).toContain("public fun value(): u64;");
  });

  test("shows private functions and instructions when told to", () => {
    expect(readInterface(old).text).not.toContain("fun check");
    expect(readInterface(old, { all: true }).text).toContain("fun check(arg0: u64);");
    expect(readInterface(old, { code: true }).text).toContain("fun check(arg0: u64) {\n       0: LdU64 0\n");
  });

  test("throws DecodeError, and nothing else, for what is no module", () => {
    const wrong = [new Uint8Array(), { bytecode: "0xzz" }, { bytecode: 5 }, { address: "0x1", name: "m", exposed_functions: [5] }];
    for (const source of wrong) expect(() => readInterface(source as { bytecode: string })).toThrow(movedex.DecodeError);
  });
});

test("compareModules finds what changed, with the instructions when told to", () => {
  expect(compareModules(old, { bytecode: hex(old) })).toBeUndefined();
  expect(compareModules(undefined, undefined)).toBeUndefined();
  expect(compareModules(undefined, now)).toMatchObject({ depth: "added", sha256: { before: null } });
  expect(compareModules(old, undefined)?.findings).toMatchObject([{ rule: "module-removed", upgrade: "refused" }]);
  expect(compareModules(old, now)).not.toHaveProperty("code");
  expect(compareModules(old, now, { code: true })?.code).toMatchObject({
    functions: [{ function: "value", hunks: [[{ text: "LdU64 6" }, { text: "LdU64 7" }, { text: "Abort" }]] }],
  });
});

test("explainAbort looks the error up in the module that aborted", () => {
  const message = "Move abort in 0x1::coin: E6(0x10006): Too few";
  const error = { code: 6n, name: "E6", description: "Too few" };
  expect(explainAbort(message, [now, old].slice(1))).toMatchObject({ code: 65_542n, reason: 6n, reportedName: "E6", error });
  expect(explainAbort("0x1::coin 0x10006", [movedex.decodeModule(old).abi])).toMatchObject({ error });
  expect(explainAbort(message, [writeModule({ address: "0x1", name: "table" })])).toMatchObject({ error: undefined });
  expect(explainAbort("65542")).toMatchObject({ kind: "abort", module: undefined, category: { name: "INVALID_ARGUMENT" } });
  expect(explainAbort("Out of gas")).toMatchObject({ kind: "status", status: { name: "OUT_OF_GAS" } });
  expect(explainAbort("all is well")).toBeUndefined();
});

describe("openArchive", () => {
  const place = temporaryDirectory();
  let archive: Archive;

  beforeAll(async () => {
    const db = place.file("night.db");
    await sealModules(db, [
      { version: 100n, accounts: { "0x1": [old], "0x2": "timeout" } },
      { version: 200n, accounts: { "0x1": [now], "0x2": [] } },
    ]);
    archive = await openArchive(db);
  });
  afterAll(() => archive.close());

  test("gives snapshots, modules and their histories", async () => {
    expect([await archive.chainId(), await archive.snapshots()]).toEqual([4, [100n, 200n]]);
    const [first, second] = await archive.history("coin");
    expect([first, second]).toMatchObject([
      { from: 100n, to: 100n },
      { from: 200n, to: null },
    ]);
    expect(await archive.modules({ at: 100n })).toEqual([first]);
    expect(await archive.modules({ account: "0x1" })).toEqual([second]);
    expect(await archive.module("0x1::coin", { at: "previous" })).toEqual({ ...first, bytes: old });
    expect(await archive.module("coin")).toEqual({ ...second, bytes: now });
    expect(await archive.bytes(first ?? expect.fail())).toEqual(old);
  });

  test("explains aborts as of a snapshot", async () => {
    expect(await archive.explainAbort("0x1::coin 7")).toMatchObject({ error: { name: "E7" } });
    expect(await archive.explainAbort("0x1::coin 7", { at: 100n })).toMatchObject({ error: undefined });
    expect(await archive.explainAbort("0x9::coin 7")).toMatchObject({ code: 7n, error: undefined });
    expect(await archive.explainAbort("OUT_OF_GAS")).toMatchObject({ kind: "status" });
  });

  test("answers SQL row by row", async () => {
    const sql = "SELECT ledger_version, name FROM functions_at WHERE visibility = :visibility ORDER BY ledger_version";
    expect(await Array.fromAsync(archive.query(sql, { visibility: "public" }))).toEqual([
      { ledger_version: 100n, name: "value" },
      { ledger_version: 200n, name: "value" },
    ]);
    await expect(Array.fromAsync(archive.query("DELETE FROM _all_snapshots"))).rejects.toMatchObject({ code: "MOVEDEX_STORE_QUERY" });
    const twice = { code: "MOVEDEX_STORE_QUERY", facts: { column: "a", count: 2 } };
    await expect(Array.fromAsync(archive.query("SELECT 1 AS a, 2 AS a"))).rejects.toMatchObject(twice);
  });

  test("answers SQL with the values that `movedex/views` promises", async () => {
    const promised = {
      text: ["string"],
      integer: ["bigint"],
      u64: ["bigint", "string"],
      bytes: ["object"],
      boolean: ["bigint"],
      time: ["string"],
    };
    let rows = 0;
    for (const { name, columns } of viewList) {
      for await (const row of archive.query(`SELECT * FROM ${name}`)) {
        rows += 1;
        for (const [column, about] of Object.entries(columns)) {
          if (row[column] === null) expect(`${name}.${column}: ${about.meaning}`).toMatch(/\bnull\b/);
          else expect(promised[kinds[about.kind].type], `${name}.${column}`).toContain(typeof row[column]);
        }
      }
    }
    expect(rows).toBeGreaterThan(30);
  });

  test.each([
    [() => openArchive(place.file("none.db")), "MOVEDEX_STORE_MISSING"],
    [() => archive.module("0x1::table"), "MOVEDEX_NOT_HELD"],
    [() => archive.module("0x1::coin", { at: 150n }), "MOVEDEX_NOT_HELD"],
    [() => archive.module("0x1"), "MOVEDEX_CONFIG"],
    [() => archive.modules({ account: "zz" }), "MOVEDEX_CONFIG"],
    [async () => archive.bytes({ ...(await archive.module("coin")), sha256: "00" }), "MOVEDEX_NOT_HELD"],
  ])("says what is wrong, case %#", async (work, code) => {
    const failing = work();
    await expect(failing).rejects.toBeInstanceOf(movedex.MovedexError);
    await expect(failing).rejects.toMatchObject({ code });
  });
});

const onServer: Parameters<typeof eachPostgres>[1] = (open) => {
  test("answers as from a file, in SQL too", async ({ place }) => {
    const at = await open();
    const url = at.url();
    const snapshots = [
      { version: 100n, accounts: { "0x1": [old] } },
      { version: 200n, accounts: { "0x1": [now] } },
    ];
    await sealModules(url, snapshots);
    await sealModules(place.file("night.db"), snapshots);
    const answers = async (path: string): Promise<unknown[]> => {
      await using archive = closing(await openArchive(path));
      return [
        await archive.chainId(),
        await archive.snapshots(),
        await archive.modules({ at: 100n }),
        await archive.module("coin"),
        await archive.history("0x1::coin"),
        await archive.explainAbort("0x1::coin 7"),
        await Array.fromAsync(archive.query("SELECT ledger_version, name, is_entry FROM functions_at ORDER BY ledger_version, name")),
      ];
    };
    const reader = await at.reader();
    expect((await answers(reader)).slice(0, 6)).toEqual((await answers(place.file("night.db"))).slice(0, 6));
    const wrong = url.replace("postgres@", "postgres:s3cret@").replace(/[^/]*$/, "nowhere");
    await expect(openArchive(wrong)).rejects.toThrow(/nowhere/);
    await expect(openArchive(wrong)).rejects.not.toThrow(/s3cret/);
    const rows = (await answers(reader)).at(-1) as { ledger_version: unknown }[];
    expect(rows.map(({ ledger_version }) => ledger_version)).toEqual([100n, 100n, 200n, 200n]);
  });
};
eachPostgres("openArchive", onServer, isLongRun ? sharedServers : []);
