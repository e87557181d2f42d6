import { formatHex } from "../../base/bytes.ts";
import type { Integer, Transaction } from "../../engine/engine.ts";
import { present } from "../../errors.ts";
import { bytesOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { contentTables } from "../../schema/tables/content.ts";
import type { Packed, Version } from "./code-blobs.ts";
import { readCodes } from "./read-code.ts";

const { sha256: digest, size, bytecode_version, derived_by, node_abi, abi_id } = contentTables.bytecodes.columns;
/** What the database does not number by itself. */
const newRows = { name: "_bytecodes", columns: { sha256: digest, size, bytecode_version, derived_by, node_abi, abi_id } } as const;

/** Asks which of the digests in `:digests`, a list of them in hex, are stored: their places, and the numbers of the rows. */
export const knownBytecodes = sql<[number, Integer]>`SELECT j.key, b.id FROM ${jsonEach(":digests::json", "j")}
  JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")}`;
// A separate statement from the bytes, since most modules have no older version. As one statement, or with a join, PostgreSQL would read
// whole tables.
const newest = sql<[number, number | null]>`SELECT j.key, (SELECT v.bytecode_id FROM (SELECT s.from_version, (SELECT m.bytecode_id
  FROM _listing_modules m WHERE m.listing_id = s.listing_id AND m.name = ${jsonItem("j.value", 1)}) AS bytecode_id FROM _listing_spans s
  WHERE s.address_id = CAST(${jsonItem("j.value", 0)} AS bigint)) v WHERE v.bytecode_id IS NOT NULL ORDER BY v.from_version DESC LIMIT 1)
  FROM ${jsonEach(":modules::json", "j")}`;

/** The numbers of bytecodes that are stored, by digest. */
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
export async function addBytecodes(tx: Transaction, codes: readonly NewBytecode[]): Promise<Map<string, Integer>> {
  await tx.bulk(
    newRows,
    codes.map(({ sha256, size, bytecodeVersion, derivedBy, nodeAbi, abi }) => [sha256, size, bytecodeVersion, derivedBy, nodeAbi, abi]),
  );
  const hexes = codes.map(({ sha256 }) => formatHex(sha256));
  const baseHexes = codes.map(({ base }) => base && formatHex(base.sha256));
  const ids = await findBytecodes(tx, [...hexes, ...baseHexes.filter((hex) => hex !== undefined)]);
  await tx.bulk(
    contentTables.bytecode_blobs,
    codes.map(({ code }, i) => [ids.get(hexes[i] as string), code, ids.get(baseHexes[i] ?? "") ?? null]),
  );
  return ids;
}

/** The newest stored versions of modules, by index in the list. Modules without a stored version are left out. */
export async function findOlder(
  tx: Transaction,
  modules: readonly { readonly address: Integer; readonly name: string }[],
): Promise<Map<number, Version>> {
  const wanted = JSON.stringify(modules.map(({ address, name }) => [Number(address), name]));
  const rows = await tx.all(newest, { modules: wanted });
  const places = rows.flatMap(([place, id]): [number, number][] => (id === null ? [] : [[place, id]]));
  const find = await readCodes(tx, [...new Set(places.map(([, id]) => id))]);
  return new Map(places.map(([place, id]) => [place, present(find(id), `there is no bytecode ${id}`)]));
}
