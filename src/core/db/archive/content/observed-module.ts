import type { ModuleAbi } from "../../../abi/model.ts";
import type { Integer, Session, Transaction } from "../../engine/engine.ts";
import { bytesOf, jsonEach } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";

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

/** Writes modules whose bytecode is not stored yet, and rows of those that can be decoded. Returns their numbers by digest. */
export type AddModules = (tx: Transaction, modules: readonly SeenModule[]) => Promise<Map<string, Integer>>;

const idsOfDigests = sql<[number, Integer]>`SELECT j.key, b.id FROM ${jsonEach(":digests::json", "j")}
  JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")}`;

/** The numbers of the rows of bytecodes that are stored, by their digests in hex. */
export async function findBytecodes(session: Session, hexes: Iterable<string>): Promise<Map<string, Integer>> {
  const wanted = [...new Set(hexes)];
  if (wanted.length === 0) return new Map();
  const rows = await session.all(idsOfDigests, { digests: JSON.stringify(wanted) });
  return new Map(rows.map(([place, id]) => [wanted[place] as string, id]));
}
