import { expect, test } from "vitest";
import { ModuleCode } from "../../../sim/ledger/module-code.ts";
import { type ModuleSpec, writeModule } from "../../../sim/module-writer/module-writer.ts";
import { derivedDamage, wordCheck } from "../../../src/capabilities/verify/bytecodes.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { formatNodeAbi } from "../../../src/core/abi/node-json/format.ts";
import { parseNodeAbi } from "../../../src/core/abi/node-json/parse.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { packCode, type Version } from "../../../src/core/db/archive/content/code-blobs.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { named, sql } from "../../../src/core/db/schema/sql/sql.ts";
import { DERIVED_BY, derivedTables, REPORTED_BY_NODE } from "../../../src/core/db/schema/tables/derived.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { handmade, nameRow, row } from "../../support/handmade.ts";

const spec = (name: string, functions: readonly string[]): ModuleSpec =>
  ({
    version: 7,
    address: "0xcafe",
    name,
    friends: ["0xcafe::router"],
    dependencies: ["0x1::math"],
    structs: [{ name: "Pool", abilities: ["key"], fields: [["coins", "vector<0x1::coin::Coin<0xcafe::pool::Pool>>"]] }],
    functions: functions.map((item) => ({ name: item, visibility: "public", params: ["&signer", "u64"] })),
    errors: [{ code: 1n, name: "EPOOR", description: "Not enough coins" }],
  }) as ModuleSpec;

/** An engine that fails at the end of the transaction after so many bytecodes were marked, as one that a kill cuts off: it is undone. */
function cutAfter(engine: Engine, most: number): Engine {
  let marked = 0;
  return {
    ...engine,
    transaction: (work, options) =>
      engine.transaction(async (tx) => {
        const [before] = (await tx.first(sql<[number]>`SELECT count(*) FROM _bytecodes WHERE derived_by IS NOT NULL`)) ?? [0];
        const result = await work(tx);
        const [after] = (await tx.first(sql<[number]>`SELECT count(*) FROM _bytecodes WHERE derived_by IS NOT NULL`)) ?? [0];
        marked += after - before;
        if (marked > most) throw new Error("cut off");
        return result;
      }, options),
  };
}

const add = sql`INSERT INTO _bytecodes (id, sha256, size, bytecode_version, node_abi) VALUES (:id, :sha256, :size, :version, :node_abi::json)`;
const addBlob = sql`INSERT INTO _bytecode_blobs (id, code, base_id) VALUES (:id, :code, :base)`;

async function save(engine: Engine, codes: readonly Uint8Array[], nodeAbi: string | null = null): Promise<void> {
  const [last] = (await engine.first(sql<[number]>`SELECT coalesce(max(id), 0) FROM _bytecodes`)) ?? [0];
  let older: Version | undefined;
  for (const [index, code] of codes.entries()) {
    const id = Number(last) + index + 1;
    const packed = packCode(code, older);
    // The first is what all others are packed with.
    older ??= { sha256: sha256(code), code, packedBytes: packed.code.length, base: undefined };
    await engine.run(add, { id, sha256: sha256(code), size: code.length, version: 7, node_abi: nodeAbi });
    await engine.run(addBlob, { id, code: packed.code, base: packed.base === undefined ? null : Number(last) + 1 });
  }
}

const marks = sql`SELECT id, derived_by, abi_id, error_code FROM _bytecodes ORDER BY id`;
const abiOf = sql<[number, number]>`SELECT id, abi_id FROM _bytecodes WHERE abi_id IS NOT NULL ORDER BY id`;
const functionsOf = sql<[number, string]>`SELECT b.id, f.name FROM _bytecodes b JOIN _abi_functions l ON l.abi_id = b.abi_id
  JOIN _functions f ON f.id = l.function_id ORDER BY b.id, l.position`;

/** That the rows of these bytecodes, numbered from 1, are those that a new database gets of all of them at once. */
async function expectWhole(engine: Engine, codes: readonly Uint8Array[]): Promise<void> {
  expect(await engine.all(abiOf)).toHaveLength(codes.length);
  const bytecodes = codes.map((code, i) => ({ id: i + 1, sha256: sha256(code), code, bytecodeVersion: 7, nodeAbi: null }));
  expect([...(await derivedDamage(engine, bytecodes)).values()].flat()).toEqual([]);
  expect((await Array.fromAsync(wordCheck(engine, { part: 0, of: 1 }).steps())).flat()).toEqual([]);
}

async function counts(engine: Engine): Promise<Record<string, number>> {
  const counted = Object.entries(derivedTables).map(async ([key, { name }]) => {
    return [key, Number((await engine.first(sql`SELECT count(*) FROM ${named(name)}`))?.[0])];
  });
  return Object.fromEntries(await Promise.all(counted));
}

const upgrades = [
  ["a", "b", "c"],
  ["a", "b", "c", "d"],
  ["a", "x", "c", "d"],
].map((names) => writeModule(spec("pool", names)));

eachArchive("derive", (open) => {
  test("writes the rows of an ABI, and shares those that the module has already, whether in the same batch or from before", async () => {
    for (const nights of [upgrades.map((code) => [code]), [upgrades]]) {
      await using at = await open();
      const { derive, underived } = derivationQueries(at.engine);
      for (const codes of nights) {
        await save(at.engine, codes);
        expect(await underived()).toBe(codes.length);
        expect(await derive()).toEqual({ derived: codes.length, undecodable: 0 });
        expect(await underived()).toBe(0);
      }
      const found = await counts(at.engine);
      expect(found).toMatchObject({ abis: 3, functions: 5, structs: 1, abi_functions: 11, abi_structs: 3 });
      expect(found).toMatchObject({ types: 3, type_structs: 2, error_maps: 1, error_codes: 1 });
      await expectWhole(at.engine, upgrades);
    }
  });

  test("writes texts of metadata that have U+0000 with its picture in its place: PostgreSQL keeps none that has it", async () => {
    await using at = await open();
    const attributes = [{ kind: 4, args: ["one\0two"] }];
    const errors = [{ code: 1n, name: "EP\0OOR", description: "Not\0enough" }];
    const code = writeModule({ ...spec("nul", []), errors, functions: [{ name: "a", visibility: "public", attributes }] });
    await save(at.engine, [code]);
    expect(await derivationQueries(at.engine).derive()).toEqual({ derived: 1, undecodable: 0 });
    expect(await at.engine.all(sql`SELECT name, description FROM _error_codes`)).toEqual([["EP␀OOR", "Not␀enough"]]);
    await expectWhole(at.engine, [code]);
  });

  test("writes a function and a dependency once that bytes have twice, which no chain accepts", async () => {
    await using at = await open();
    const definition = row(0, 0, 0, 0, 0, 1, 0x02);
    const twice = handmade(7, {
      identifiers: ["M", "N", "a"].map(nameRow),
      moduleHandles: [row(0, 0), row(0, 1), row(0, 1)],
      signatures: [row(0)],
      functionHandles: [row(0, 2, 0, 0, 0, 1)],
      functionDefinitions: [definition, definition],
    });
    await save(at.engine, [twice]);
    expect(await derivationQueries(at.engine).derive()).toEqual({ derived: 1, undecodable: 0 });
    expect(await counts(at.engine)).toMatchObject({ abi_functions: 1, abi_dependencies: 1 });
    await expectWhole(at.engine, [twice]);
  });

  test("leaves no row of a transaction that is cut off, and goes on where it was", async () => {
    const codes = Array.from({ length: 900 }, (_, i) => writeModule(spec(`m${i}`, ["a", `f${i}`])));
    await using at = await open();
    await save(at.engine, codes);
    for (const [marked, left] of [
      [0, 900],
      [256, 644],
      [256, 388],
    ] as const) {
      const { derive, underived } = derivationQueries(cutAfter(at.engine, marked));
      await expect(derive()).rejects.toThrow("cut off");
      expect(await underived()).toBe(left);
      expect((await counts(at.engine))["abis"]).toBe(900 - left);
    }
    const { derive, underived } = derivationQueries(at.engine);
    const stopped = new AbortController();
    stopped.abort();
    expect(await derive({ signal: stopped.signal })).toEqual({ derived: 0, undecodable: 0 });
    expect(await underived()).toBe(388);
    expect(await derive()).toEqual({ derived: 388, undecodable: 0 });
    await expectWhole(at.engine, codes);
  });

  test("keeps why bytes cannot be decoded, or what a node told of them; a run that ends meanwhile leaves the question to the next", async () => {
    await using at = await open();
    const newer = new ModuleCode(writeModule(spec("newer", ["a"]))).asVersion(11).bytes;
    const broken = (writeModule(spec("broken", ["a"])) as Buffer).subarray(0, -3);
    const abi = parseNodeAbi(JSON.parse(JSON.stringify(formatNodeAbi(decodeModule(writeModule(spec("told", ["a", "b"]))).abi))));
    await save(at.engine, [newer, broken, Buffer.from("no module")]);
    const asked: Uint8Array[] = [];
    const { derive } = derivationQueries(at.engine);
    const askNodeAbi = async (code: Uint8Array) => {
      asked.push(code);
      if (asked.length === 2) stop.abort();
      return Buffer.from(code).equals(broken) ? abi : undefined;
    };
    const stop = new AbortController();
    // The second question was cut off: the first alone is stored.
    const cutOff = async (code: Uint8Array) => {
      await askNodeAbi(code);
      return undefined;
    };
    expect(await derive({ askNodeAbi: cutOff, signal: stop.signal })).toEqual({ derived: 1, undecodable: 1 });
    expect(await derive({ askNodeAbi })).toEqual({ derived: 2, undecodable: 1 });
    expect(asked).toEqual([newer, broken, broken, Buffer.from("no module")].map((bytes) => new Uint8Array(bytes)));
    expect(await at.engine.all(marks)).toEqual([
      [1, DERIVED_BY, null, "MOVEDEX_DECODE_UNSUPPORTED_VERSION"],
      [2, REPORTED_BY_NODE, 1, null],
      [3, DERIVED_BY, null, "MOVEDEX_DECODE_MALFORMED"],
    ]);
    expect((await at.engine.all(functionsOf)).map(([id, name]) => `${id} ${name}`)).toEqual(["2 a", "2 b"]);
    await save(at.engine, [writeModule(spec("told", ["a", "b"]))]);
    await derive();
    // What the node told is another ABI, since it says nothing of calls.
    expect(await counts(at.engine)).toMatchObject({ functions: 2, abis: 2 });
  });

  test("makes every row anew where another revision made them, and the same rows", async () => {
    await using at = await open();
    await save(at.engine, upgrades);
    const { derive, underived } = derivationQueries(at.engine);
    await derive();
    expect(await derive()).toEqual({ derived: 0, undecodable: 0 });
    await at.engine.run(sql`UPDATE _functions SET name = 'wrong'`);
    await at.engine.run(sql`UPDATE _bytecodes SET derived_by = 'movedex 0' WHERE id = 2`);
    expect(await derive()).toEqual({ derived: 3, undecodable: 0 });
    expect(await underived()).toBe(0);
    await expectWhole(at.engine, upgrades);
  });
});
