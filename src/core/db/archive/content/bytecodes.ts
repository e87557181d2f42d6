import type { ModuleAbi } from "../../../abi/model.ts";
import { formatNodeAbi } from "../../../abi/node-json/format.ts";
import { equalBytes, formatHex } from "../../../base/bytes.ts";
import { collectSooner } from "../../../base/heap.ts";
import { sha256 } from "../../../base/sha256.ts";
import { present } from "../../../errors.ts";
import type { Engine, Integer, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { bytesOf, hexOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { contentTables } from "../../schema/tables/content.ts";
import { AlikeCodes } from "./alike-codes.ts";
import { type Packed, packCode, packCopy, type Version } from "./code-blobs.ts";
import { rowsOfBytecode } from "./derivation.ts";
import { beginManyRows, isFirst, isMuch } from "./derived-indexes.ts";
import type { DerivedRowWriter } from "./derived-writer.ts";
import { readCodes } from "./read-code.ts";

const { sha256: digest, size, bytecode_version, derived_by, node_abi, abi_id } = contentTables.bytecodes.columns;
/** What the database does not number by itself. */
const newRows = { name: "_bytecodes", columns: { sha256: digest, size, bytecode_version, derived_by, node_abi, abi_id } } as const;

/** Asks which of the digests in `:digests`, a list of them in hex, are stored: their places, and the numbers of the rows. */
const knownBytecodes = sql<[number, Integer]>`SELECT j.key, b.id FROM ${jsonEach(":digests::json", "j")}
  JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")}`;
// A separate statement from the bytes, since most modules have no older version. As one statement, or with a join, PostgreSQL would read
// whole tables.
const newest = sql<[number, number | null]>`SELECT j.key, (SELECT v.bytecode_id FROM (SELECT s.from_version, (SELECT m.bytecode_id
  FROM _listing_modules m WHERE m.listing_id = s.listing_id AND m.name = ${jsonItem("j.value", 1)}) AS bytecode_id FROM _listing_spans s
  WHERE s.address_id = CAST(${jsonItem("j.value", 0)} AS bigint)) v WHERE v.bytecode_id IS NOT NULL ORDER BY v.from_version DESC LIMIT 1)
  FROM ${jsonEach(":modules::json", "j")}`;

export async function findBytecodes(tx: Transaction, hexes: readonly string[]): Promise<Map<string, Integer>> {
  if (hexes.length === 0) return new Map();
  const wanted = [...new Set(hexes)];
  const rows = await tx.all(knownBytecodes, { digests: JSON.stringify(wanted) });
  return new Map(rows.map(([place, id]) => [wanted[place] as string, id]));
}

/** A bytecode to be stored, packed, with what a node told of its ABI as text, and the ABI whose rows are written already. */
export type NewBytecode = Packed & {
  readonly sha256: Uint8Array;
  readonly size: number;
  readonly bytecodeVersion: number | null;
  readonly nodeAbi: string | null;
  readonly derivedBy?: string | null;
  readonly abi?: number | null;
};

/** Writes bytecodes that are not stored yet, each once, together with their compression references. Returns row numbers by digest. */
async function addBytecodes(tx: Transaction, codes: readonly NewBytecode[]): Promise<Map<string, Integer>> {
  await tx.bulk(
    newRows,
    codes.map(({ sha256, size, bytecodeVersion, derivedBy, nodeAbi, abi }) => [sha256, size, bytecodeVersion, derivedBy, nodeAbi, abi]),
  );
  const hexes = codes.map(({ sha256 }) => formatHex(sha256));
  const baseHexes = codes.map(({ base }) => base && formatHex(base.sha256));
  const ids = await findBytecodes(tx, [...hexes, ...baseHexes.filter((hex) => hex !== undefined)]);
  await tx.bulk(
    contentTables.bytecode_blobs,
    codes.map(({ code }, i) => {
      const base = baseHexes[i];
      return [ids.get(hexes[i] as string), code, base === undefined ? null : present(ids.get(base), `the bytecode ${base} is not stored`)];
    }),
  );
  return ids;
}

/** The newest stored versions of modules, by index in the list. Modules without a stored version are left out. */
async function findOlder(
  tx: Transaction,
  modules: readonly { readonly address: Integer; readonly name: string }[],
): Promise<Map<number, Version>> {
  const wanted = JSON.stringify(modules.map(({ address, name }) => [Number(address), name]));
  const rows = await tx.all(newest, { modules: wanted });
  const places = rows.flatMap(([place, id]): [number, number][] => (id === null ? [] : [[place, id]]));
  const find = await readCodes(tx, [...new Set(places.map(([, id]) => id))]);
  return new Map(places.map(([place, id]) => [place, present(find(id), `there is no bytecode ${id}`)]));
}

/** A module name that can be stored. Without line breaks, which would give two different snapshots the same digest. */
export const STORABLE_NAME = /^[^\s\p{Cc}]{1,65535}$/u;

/** A module's bytes as they came. The rows of their ABI follow later. */
export type ModuleContent = {
  readonly code: Uint8Array;
  readonly bytecodeVersion: number | null;
  /** The node's own ABI, where it gave one for bytes that movedex cannot decode. */
  readonly nodeAbi?: ModuleAbi;
};

/** One module of a full listing. `content` is needed when the store does not know the SHA-256 yet. */
export type ObservedModule = { readonly name: string; readonly sha256: Uint8Array; readonly content?: ModuleContent };

export type SeenModule = { readonly address: Integer; readonly module: ObservedModule };

/** The row of a bytecode, and whether it was written just now. */
export type StoredBytecode = { readonly id: Integer; readonly isNew: boolean };

export type Bytecodes = {
  /**
   * Whether bytecode is stored, and need not come with the visit. False may be said of bytecode that another process has just
   * stored. A promise where the database has to be asked; questions of one moment are asked together.
   */
  readonly knowsBytecode: (sha256: Uint8Array) => boolean | Promise<boolean>;
  /** Begins a transaction of visits: a run that writes very many rows first takes away indexes, which `derive` makes again. */
  readonly prepare: () => Promise<void>;
  /** Hears of how many accounts a run is to read: a first crawl of many begins without these indexes. */
  readonly expect: (accounts: number) => Promise<void>;
  /** The rows of modules' bytecode, in their order; what is new is written, packed with an older version of the module or a copy. */
  readonly internAll: (tx: Transaction, modules: readonly SeenModule[]) => Promise<StoredBytecode[]>;
};

/** More bytecodes than this in one run, and its memory is what is short. */
const QUIET = 100;

/** Digests to remember, about 6 MB: the same packages are published at many addresses. */
const MOST_REMEMBERED = 50_000;

const all = sql<[string, Integer]>`SELECT ${hexOf("b.sha256")}, b.id FROM _bytecodes b LIMIT :limit`;

/** Storing bytecode, which is never deleted. `writer` writes the rows of each with its bytes; without one they wait for `derive`. */
export function bytecodeQueries(engine: Engine, writer?: DerivedRowWriter): Bytecodes {
  const found = new Map<string, Integer>();
  /**
   * Digests that this process has stored since it read all of them. Undefined when there are too many to remember: each unknown
   * digest is then looked up.
   */
  let perhapsStored: Set<string> | undefined;
  let hasLooked = false;
  let waiting: Waiting[] = [];
  let isAsking = false;
  /** Modules whose transaction failed. Their rows may be why, and are left to `derive`. */
  const suspects = new WeakSet<ObservedModule>();
  const alike = new AlikeCodes();
  /** Bytecodes whose rows this process wrote, and whether it took indexes away for them. */
  let [written, isMany] = [0, false];

  /** Reads all digests of a small database: a first night would look up each new bytecode in vain. */
  const readAll = async (): Promise<void> => {
    hasLooked = true;
    const rows = await engine.all(all, { limit: MOST_REMEMBERED });
    if (rows.length === MOST_REMEMBERED) return;
    for (const [hex, id] of rows) found.set(hex, id);
    perhapsStored = new Set();
  };

  const ask = async (): Promise<void> => {
    const questions = waiting;
    waiting = [];
    try {
      if (!hasLooked) await readAll();
      const rows = await engine.all(knownBytecodes, { digests: JSON.stringify(questions.map(({ hex }) => hex)) });
      if (found.size + rows.length > MOST_REMEMBERED) {
        found.clear();
        perhapsStored = undefined;
      }
      for (const [place, id] of rows) found.set((questions[place] as Waiting).hex, id);
      for (const { hex, resolve } of questions) resolve(found.has(hex));
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  };

  /** Asks one question at a time. Digests that arrive meanwhile go together into the next one. */
  const askAll = async (): Promise<void> => {
    while (waiting.length > 0) await ask();
    isAsking = false;
  };

  const internAll = async (tx: Transaction, modules: readonly SeenModule[]): Promise<StoredBytecode[]> => {
    const hexes = modules.map(({ module }) => formatHex(module.sha256));
    for (const hex of hexes) if (!found.has(hex)) perhapsStored?.add(hex);
    if (perhapsStored !== undefined && perhapsStored.size > MOST_REMEMBERED) perhapsStored = undefined;
    const stored = await findBytecodes(
      tx,
      hexes.filter((hex) => !found.has(hex)),
    );
    const fresh = new Map(
      modules.map((one, i) => [hexes[i] as string, one] as const).filter(([hex]) => !found.has(hex) && !stored.has(hex)),
    );
    if (fresh.size > 0) {
      const added = [...fresh.values()];
      tx.onRollback(() => {
        alike.forget();
        for (const { module } of added) suspects.add(module);
      });
      const rows = added.some(({ module }) => suspects.has(module)) ? undefined : writer;
      for (const [hex, id] of await addModules(tx, added, rows, alike)) stored.set(hex, id);
      written += added.length;
      if (written > QUIET) collectSooner();
    }
    const told = new Set<string>();
    return hexes.map((hex) => {
      const isNew = fresh.has(hex) && !told.has(hex);
      told.add(hex);
      return { id: (found.get(hex) ?? stored.get(hex)) as Integer, isNew };
    });
  };

  const beginMany = async (isDue: () => Promise<boolean>): Promise<void> => {
    if (writer === undefined || isMany || !(await isDue())) return;
    isMany = true;
    await beginManyRows(engine);
  };

  return {
    internAll,
    prepare: () => beginMany(() => isMuch(engine, written, written)),
    expect: (accounts) => beginMany(() => isFirst(engine, accounts)),
    knowsBytecode: (bytes) => {
      const hex = formatHex(bytes);
      if (found.has(hex)) return true;
      if (perhapsStored !== undefined && !perhapsStored.has(hex)) return false;
      return new Promise((resolve, reject) => {
        waiting.push({ hex, resolve, reject });
        if (isAsking) return;
        isAsking = true;
        setImmediate(() => void askAll());
      });
    },
  };
}

type Waiting = { readonly hex: string; readonly resolve: (isKnown: boolean) => void; readonly reject: (error: unknown) => void };

/** Packs and writes modules whose bytecode is not stored yet, and rows of those that can be decoded. Returns their numbers by digest. */
async function addModules(
  tx: Transaction,
  modules: readonly SeenModule[],
  writer: DerivedRowWriter | undefined,
  alike: AlikeCodes,
): Promise<Map<string, Integer>> {
  const contents = modules.map(({ module }) => checkContent(module));
  const older = await findOlder(
    tx,
    modules.map(({ address, module: { name } }) => ({ address, name })),
  );
  const reported = contents.map(({ nodeAbi }) => (nodeAbi === undefined ? null : JSON.stringify(formatNodeAbi(nodeAbi))));
  const written = await writer?.write(
    tx,
    contents.map(
      ({ code }, i) =>
        () =>
          rowsOfBytecode(code, reported[i] ?? null),
    ),
  );
  return addBytecodes(
    tx,
    contents.map(({ code, bytecodeVersion }, i) => {
      const { module } = modules[i] as SeenModule;
      const rows = written?.[i];
      return {
        sha256: module.sha256,
        size: code.length,
        ...pack(module, code, older.get(i), alike),
        bytecodeVersion,
        nodeAbi: reported[i] ?? null,
        // What cannot be decoded waits: a node is asked of it at the end of the run.
        ...(rows !== undefined && "abi" in rows && rows),
      };
    }),
  );
}

/** Packs a module with an older version of it, else with one that has its name at another account. */
function pack({ name, sha256 }: ObservedModule, code: Uint8Array, older: Version | undefined, alike: AlikeCodes): Packed {
  if (older !== undefined) return packCode(code, older);
  const copied = alike.find(name, code.length);
  const packed = copied === undefined ? packCode(code, undefined) : packCopy(code, copied.version);
  if (copied !== undefined && packed.base !== undefined) alike.use(name, copied);
  else alike.add(name, { sha256, code, packedBytes: packed.code.length, base: undefined });
  return packed;
}

/** What came with a module. @throws StoreError `MOVEDEX_STORE_VISIT` when nothing came, or other bytes than its digest says */
function checkContent(module: ObservedModule): ModuleContent {
  const { content } = module;
  const name = formatHex(module.sha256);
  const facts = { module: module.name, sha256: name };
  if (content === undefined) {
    throw new StoreError(
      "MOVEDEX_STORE_VISIT",
      `the bytecode ${name} of module \`${module.name}\` is not stored yet and did not come with the visit`,
      { facts },
    );
  }
  if (!equalBytes(sha256(content.code), module.sha256)) {
    const text = `the bytes of module \`${module.name}\` do not have the SHA-256 ${name} they came with`;
    throw new StoreError("MOVEDEX_STORE_VISIT", text, { facts });
  }
  return content;
}
