import { setFlagsFromString } from "node:v8";
import { formatNodeAbi } from "../../../abi/node-json/format.ts";
import { equalBytes, formatHex } from "../../../base/bytes.ts";
import { sha256 } from "../../../base/sha256.ts";
import { present } from "../../../errors.ts";
import type { Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { contentTables } from "../../schema/tables/content.ts";
import { AlikeCodes, type Packed, packCode, readCodes, type Version } from "./code-blobs.ts";
import { rowsOfBytecode } from "./derivation.ts";
import { derivedRowWriter } from "./derived-writer.ts";
import { type AddModules, findBytecodes, type ModuleContent, type ObservedModule, type SeenModule } from "./observed-module.ts";

const { sha256: digest, size, bytecode_version, derived_by, node_abi, abi_id } = contentTables.bytecodes.columns;
/** What the database does not number by itself. */
const newRows = { name: "_bytecodes", columns: { sha256: digest, size, bytecode_version, derived_by, node_abi, abi_id } } as const;

// A separate statement from the bytes, since most modules have no older version. As one statement, or with a join, PostgreSQL would read
// whole tables.
const newest = sql<[number, number | null]>`SELECT j.key, (SELECT v.bytecode_id FROM (SELECT s.from_version, (SELECT m.bytecode_id
  FROM _listing_modules m WHERE m.listing_id = s.listing_id AND m.name = ${jsonItem("j.value", 1)}) AS bytecode_id FROM _listing_spans s
  WHERE s.address_id = CAST(${jsonItem("j.value", 0)} AS bigint)) v WHERE v.bytecode_id IS NOT NULL ORDER BY v.from_version DESC LIMIT 1)
  FROM ${jsonEach(":modules::json", "j")}`;

/** The newest stored versions of modules, by index in the list. Modules without a stored version are left out. */
async function findOlder(tx: Transaction, modules: readonly SeenModule[]): Promise<Map<number, Version>> {
  const wanted = JSON.stringify(modules.map(({ address, module }) => [Number(address), module.name]));
  const places = (await tx.all(newest, { modules: wanted })).filter((row): row is [number, number] => row[1] !== null);
  const find = await readCodes(tx, [...new Set(places.map(([, id]) => id))]);
  return new Map(places.map(([place, id]) => [place, present(find(id), `there is no bytecode ${id}`)]));
}

/**
 * More bytecodes than this in one run, and its memory is what is short: the old generation is collected whenever it and the buffers that it
 * holds have grown by 90 %. At the pace of a quiet night a first crawl takes up to 20 MB more (test/bench/results.md).
 */
const QUIET = 100;

/** Packs and writes modules whose bytecode is not stored yet; with `derives` also the rows of those that can be decoded. */
export function addsModules(derives: boolean): AddModules {
  const writer = derives ? derivedRowWriter() : undefined;
  const alike = new AlikeCodes();
  /** Modules whose transaction failed. Their rows may be why, and are left to `derive`. */
  const suspects = new WeakSet<ObservedModule>();
  let written = 0;

  /** Packs a module with an older version of it, else with one that has its name at another account. */
  const pack = ({ name, sha256 }: ObservedModule, code: Uint8Array, older: Version | undefined): Packed =>
    older === undefined ? alike.pack(name, sha256, code) : packCode(code, older);

  return async (tx, modules) => {
    tx.onRollback(() => {
      alike.forget();
      for (const { module } of modules) suspects.add(module);
    });
    const contents = modules.map(({ module }) => checkContent(module));
    const older = await findOlder(tx, modules);
    const nodeAbis = contents.map(({ nodeAbi }) => (nodeAbi === undefined ? null : JSON.stringify(formatNodeAbi(nodeAbi))));
    const derive = contents.map(
      ({ code }, i) =>
        () =>
          rowsOfBytecode(code, nodeAbis[i] ?? null),
    );
    const isSuspect = modules.some(({ module }) => suspects.has(module));
    const derived = isSuspect ? undefined : await writer?.write(tx, derive);
    const packed = modules.map(({ module }, i) => pack(module, (contents[i] as ModuleContent).code, older.get(i)));
    await tx.bulk(
      newRows,
      contents.map(({ code, bytecodeVersion }, i) => {
        // What cannot be decoded waits: a node is asked of it at the end of the run.
        const { derivedBy = null, abi = null } = derived?.[i] && "abi" in derived[i] ? derived[i] : {};
        return [modules[i]?.module.sha256, code.length, bytecodeVersion, derivedBy, nodeAbis[i], abi];
      }),
    );
    const hexes = modules.map(({ module }) => formatHex(module.sha256));
    const bases = packed.map(({ base }) => base && formatHex(base.sha256));
    const ids = await findBytecodes(tx, [...hexes, ...bases.filter((hex) => hex !== undefined)]);
    await tx.bulk(
      contentTables.bytecode_blobs,
      packed.map(({ code }, i) => {
        const base = bases[i];
        return [ids.get(hexes[i] as string), code, base === undefined ? null : present(ids.get(base), `bytecode ${base} is not stored`)];
      }),
    );
    written += modules.length;
    if (written > QUIET) setFlagsFromString("--heap-growing-percent=90");
    return ids;
  };
}

/** What came with a module. @throws StoreError `MOVEDEX_STORE_VISIT` when nothing came, or other bytes than its digest says */
function checkContent(module: ObservedModule): ModuleContent {
  const { content } = module;
  const name = formatHex(module.sha256);
  const facts = { module: module.name, sha256: name };
  if (content === undefined) {
    const text = `the bytecode ${name} of module \`${module.name}\` is not stored yet and did not come with the visit`;
    throw new StoreError("MOVEDEX_STORE_VISIT", text, { facts });
  }
  if (!equalBytes(sha256(content.code), module.sha256)) {
    const text = `the bytes of module \`${module.name}\` do not have the SHA-256 ${name} they came with`;
    throw new StoreError("MOVEDEX_STORE_VISIT", text, { facts });
  }
  return content;
}
