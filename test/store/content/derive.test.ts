import { expect, test } from "vitest";
import { decodeModule } from "../../../src/abi/decode.ts";
import { formatNodeAbi } from "../../../src/abi/node-json/format.ts";
import { parseNodeAbi } from "../../../src/abi/node-json/parse.ts";
import { sha256 } from "../../../src/base/sha256.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { each, item } from "../../../src/schema/sql/words.ts";
import { derivedTables } from "../../../src/schema/tables/derived.ts";
import { ModuleCode } from "../../../src/sim/ledger/module-code.ts";
import { type ModuleSpec, writeModule } from "../../../src/sim/module-writer/module-writer.ts";
import { abiRows } from "../../../src/store/content/abi-rows.ts";
import { packCode } from "../../../src/store/content/code-blobs.ts";
import { DERIVED_BY } from "../../../src/store/content/derivation.ts";
import { prepareDerive } from "../../../src/store/content/derive.ts";
import { columnsOf } from "../../../src/store/content/stored-rows.ts";
import type { WordWriter } from "../../../src/store/content/words/word-index.ts";
import type { Engine } from "../../../src/store/engine/engine.ts";
import { handmade, nameRow, row } from "../../support/handmade.ts";
import { eachEngine } from "../engine/support/each-engine.ts";
import { makeTables } from "../engine/support/make-tables.ts";

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

const noWords: WordWriter = {
  unseen: () => ({ functions: new Set(), structs: new Set() }),
  add: async () => {},
  clear: async () => {},
  forget: () => {},
};

/** A transaction that fails at its last statement but two, as one that a kill cuts off: all before it is undone. */
function cutAt(batch: number): WordWriter {
  let batches = 0;
  const add = async () => {
    batches += 1;
    if (batches === batch) throw new Error("cut off");
  };
  return { ...noWords, add };
}

const add = sql`INSERT INTO _bytecodes (id, sha256, size, bytecode_version, node_abi) VALUES (:id, :sha256, :size, :version, :node_abi::json)`;
const addBlob = sql`INSERT INTO _bytecode_blobs (id, code) VALUES (:id, :code)`;

async function save(engine: Engine, codes: readonly Uint8Array[], nodeAbi: string | null = null): Promise<void> {
  const [last] = (await engine.first<[number]>(sql`SELECT coalesce(max(id), 0) FROM _bytecodes`)) ?? [0];
  for (const [index, code] of codes.entries()) {
    const older = codes[index - 1];
    const base = older === undefined ? undefined : { sha256: sha256(codes[0] as Uint8Array), code: codes[0] as Uint8Array };
    const id = Number(last) + index + 1;
    await engine.run(add, { id, sha256: sha256(code), size: code.length, version: 7, node_abi: nodeAbi });
    await engine.run(addBlob, { id, code: packCode(code, base) });
  }
}

const marks = sql`SELECT id, derived_by, abi_id, error_code FROM _bytecodes ORDER BY id`;
const callsOf = sql`
  SELECT b.id, f.name, a.address, m.name AS module, ${item("j.value", 1)} FROM _bytecodes b JOIN _call_parts r ON r.bytecode_id = b.calls_id
  JOIN _function_calls f ON f.id BETWEEN r.source_id * 65536 + r.first_place AND r.source_id * 65536 + r.last_place
  JOIN ${each("f.callees", "j")} ON true JOIN _modules m ON m.id = CAST(${item("j.value", 0)} AS bigint) JOIN _addresses a ON a.id = m.address_id
  ORDER BY b.id, f.name, m.name`;
const functionsOf = sql`
  SELECT b.id, f.name, f.traits, f.params FROM _bytecodes b JOIN _abi_parts r ON r.abi_id = b.abi_id AND r.kind = 0
  JOIN _functions f ON f.id BETWEEN r.source_id * 65536 + r.first_place AND r.source_id * 65536 + r.last_place ORDER BY b.id, r.position, f.id`;
const structsOf = sql`
  SELECT b.id, s.name, s.traits, s.fields FROM _bytecodes b JOIN _abi_parts r ON r.abi_id = b.abi_id AND r.kind = 1
  JOIN _structs s ON s.id BETWEEN r.source_id * 65536 + r.first_place AND r.source_id * 65536 + r.last_place ORDER BY b.id, r.position, s.id`;
const selves = sql`
  SELECT b.id, a.address, m.name, x.face_digest, e.errors FROM _bytecodes b JOIN _abis x ON x.id = b.abi_id JOIN _modules m ON m.id = x.module_id
  JOIN _addresses a ON a.id = m.address_id LEFT JOIN _abis e ON e.id = x.errors_abi_id ORDER BY b.id`;
const others = (table: "abi_friends" | "abi_dependencies" | "struct_uses") => sql`
  SELECT b.id, a.address, m.name FROM _bytecodes b JOIN ${{ in: () => table }} o ON o.abi_id = b.abi_id JOIN _modules m ON m.id = o.module_id
  JOIN _addresses a ON a.id = m.address_id ORDER BY b.id, a.address, m.name`;

/** All that is stored of what is inside of each bytecode, whichever rows are shared. */
async function inside(engine: Engine): Promise<unknown> {
  const questions = [
    marks,
    functionsOf,
    structsOf,
    selves,
    others("abi_friends"),
    others("abi_dependencies"),
    others("struct_uses"),
    callsOf,
  ];
  return Promise.all(questions.map((question) => engine.all(question)));
}

async function counts(engine: Engine): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const name of Object.keys(derivedTables)) {
    const [count] = (await engine.first<[number]>(sql`SELECT count(*) FROM ${{ in: () => name }}`)) ?? [0];
    found[name] = Number(count);
  }
  return found;
}

const upgrades = [
  ["a", "b", "c"],
  ["a", "b", "c", "d"],
  ["a", "x", "c", "d"],
].map((names) => writeModule(spec("pool", names)));

/** Module 0x1::M: its function `a` calls these of 0x1::N, if any, `b` calls `a` then; `b` ends with a literal. */
function caller(callees: readonly string[], literal = 0): Uint8Array {
  const names = ["M", "N", "a", "b", ...callees];
  const calls = callees.map((_, i) => [0x11, 2 + i]);
  return handmade(7, {
    identifiers: names.map(nameRow),
    moduleHandles: [row(0, 0), row(0, 1)],
    signatures: [row(0)],
    functionHandles: [row(0, 2, 0, 0, 0, 1), row(0, 3, 0, 0, 0, 1), ...callees.map((_, i) => row(1, 4 + i, 0, 0, 0, 1))],
    functionDefinitions: [
      row(0, 0, 0, 0, 0, calls.length + 1, ...calls, 0x02),
      row(1, 0, 0, 0, 0, ...(calls.length > 0 ? [3, [0x11, 0]] : [2]), [0x31, literal], 0x02),
    ],
  });
}

eachEngine("derive", (open) => {
  test("writes the rows of an ABI, and shares those of the module's earlier ABI whether it came in the same batch or before", async () => {
    const rowsOf = async (nights: readonly (readonly Uint8Array[])[]) => {
      await using at = await open();
      await makeTables(at.engine);
      const { derive, underived } = prepareDerive(at.engine, noWords);
      for (const codes of nights) {
        await save(at.engine, codes);
        expect(await underived()).toBe(codes.length);
        expect(await derive()).toEqual({ derived: codes.length, undecodable: 0 });
        expect(await underived()).toBe(0);
      }
      const shared = await counts(at.engine);
      expect(shared).toEqual({
        abis: 3,
        abi_parts: 10,
        functions: 5,
        structs: 1,
        abi_friends: 3,
        abi_dependencies: 6,
        struct_uses: 3,
        function_calls: 0,
        call_parts: 0,
      });
      const wanted = upgrades.map((code) => abiRows(decodeModule(code).abi));
      const at5 = ["name", "traits", "params"].map((column) => columnsOf("functions").indexOf(column) - 1);
      expect(await at.engine.all(functionsOf)).toEqual(
        wanted.flatMap(({ functions }, i) => functions.map((row) => [i + 1, ...at5.map((place) => row[place])])),
      );
      return await inside(at.engine);
    };
    expect(await rowsOf(upgrades.map((code) => [code]))).toEqual(await rowsOf([upgrades]));
  });

  test("writes what functions call, and shares the rows with the module's earlier bytecode", async () => {
    const rowsOf = async (nights: readonly (readonly Uint8Array[])[]) => {
      await using at = await open();
      await makeTables(at.engine);
      const { derive } = prepareDerive(at.engine, noWords);
      for (const codes of nights) {
        await save(at.engine, codes);
        await derive();
      }
      const { function_calls, call_parts } = await counts(at.engine);
      expect({ function_calls, call_parts }).toEqual({ function_calls: 3, call_parts: 3 });
      expect(await at.engine.all(sql`SELECT id, calls_id FROM _bytecodes ORDER BY id`)).toEqual([
        [1, 1],
        [2, 2],
        [3, 2],
        [4, null],
      ]);
      return await inside(at.engine);
    };
    const codes = [caller(["f", "g"]), caller(["f", "g", "h"]), caller(["f", "g", "h"], 9), caller([])];
    const nightly = await rowsOf(codes.map((code) => [code]));
    expect(nightly).toEqual(await rowsOf([codes]));
    expect((nightly as unknown[][]).at(-1)).toEqual([
      [1, "a", "0x1", "N", '["f","g"]'],
      [1, "b", "0x1", "M", '["a"]'],
      [2, "a", "0x1", "N", '["f","g","h"]'],
      [2, "b", "0x1", "M", '["a"]'],
      [3, "a", "0x1", "N", '["f","g","h"]'],
      [3, "b", "0x1", "M", '["a"]'],
    ]);
  });

  test("leaves no row of a batch that is cut off, and goes on where it was", async () => {
    const codes = Array.from({ length: 430 }, (_, i) => writeModule(spec(`m${i}`, ["a", `f${i}`])));
    await using whole = await open();
    await makeTables(whole.engine);
    await save(whole.engine, codes);
    expect(await prepareDerive(whole.engine, noWords).derive()).toEqual({ derived: 430, undecodable: 0 });
    await using at = await open();
    await makeTables(at.engine);
    await save(at.engine, codes);
    for (const batch of [1, 2]) {
      const { derive, underived } = prepareDerive(at.engine, cutAt(batch));
      await expect(derive()).rejects.toThrow("cut off");
      expect(await underived()).toBe(batch === 1 ? 430 : 302);
      expect((await counts(at.engine))["abis"]).toBe(batch === 1 ? 0 : 128);
    }
    const { derive, underived } = prepareDerive(at.engine, noWords);
    const stopped = new AbortController();
    stopped.abort();
    expect(await derive({ signal: stopped.signal })).toEqual({ derived: 0, undecodable: 0 });
    expect(await underived()).toBe(302);
    expect(await derive()).toEqual({ derived: 302, undecodable: 0 });
    expect(await inside(at.engine)).toEqual(await inside(whole.engine));
  });

  test("keeps why bytes cannot be decoded, or what a node told of them; asks for that only where the version is known", async () => {
    await using at = await open();
    await makeTables(at.engine);
    const newer = new ModuleCode(writeModule(spec("newer", ["a"]))).asVersion(11).bytes;
    const broken = (writeModule(spec("broken", ["a"])) as Buffer).subarray(0, -3);
    const abi = parseNodeAbi(JSON.parse(JSON.stringify(formatNodeAbi(decodeModule(writeModule(spec("told", ["a", "b"]))).abi))));
    await save(at.engine, [newer, broken, Buffer.from("no module")]);
    const asked: Uint8Array[] = [];
    const { derive } = prepareDerive(at.engine, noWords);
    const tell = async (code: Uint8Array) => {
      asked.push(code);
      return abi;
    };
    expect(await derive({ tell })).toEqual({ derived: 3, undecodable: 2 });
    expect(asked).toEqual([new Uint8Array(broken)]);
    expect(await at.engine.all(marks)).toEqual([
      [1, DERIVED_BY, null, "MOVEDEX_DECODE_UNSUPPORTED_VERSION"],
      [2, "node 1", 2, null],
      [3, DERIVED_BY, null, "MOVEDEX_DECODE_MALFORMED"],
    ]);
    expect((await at.engine.all<[number, string]>(functionsOf)).map(([id, name]) => `${id} ${name}`)).toEqual(["2 a", "2 b"]);
    await save(at.engine, [writeModule(spec("told", ["a", "b"]))]);
    await derive();
    expect((await counts(at.engine))["functions"]).toBe(4);
  });

  test("makes every row anew where another revision made them, and the same rows", async () => {
    await using at = await open();
    await makeTables(at.engine);
    await save(at.engine, upgrades);
    const { derive, underived } = prepareDerive(at.engine, noWords);
    await derive();
    const before = await inside(at.engine);
    expect(await derive()).toEqual({ derived: 0, undecodable: 0 });
    await at.engine.run(sql`UPDATE _functions SET name = 'wrong'`);
    await at.engine.run(sql`UPDATE _bytecodes SET derived_by = 'movedex 0' WHERE id = 2`);
    expect(await derive()).toEqual({ derived: 3, undecodable: 0 });
    expect(await underived()).toBe(0);
    expect(await inside(at.engine)).toEqual(before);
  });
});
