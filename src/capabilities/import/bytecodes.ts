import { formatNodeAbi } from "../../core/abi/node-json/format.ts";
import { formatHex } from "../../core/base/bytes.ts";
import { chunks } from "../../core/base/lists.ts";
import { sha256, sha256Hex } from "../../core/base/sha256.ts";
import type { Bytecodes } from "../../core/db/archive/content/bytecodes.ts";
import { type CodeCells, codeColumns, codeJoin, readBases, unlessDamaged } from "../../core/db/archive/content/code-blobs.ts";
import { findBytecodes, type ModuleContent } from "../../core/db/archive/content/observed-module.ts";
import type { Integer, Session, Transaction } from "../../core/db/engine/engine.ts";
import { bytesOf, hexOf, jsonEach } from "../../core/db/schema/sql/functions.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { deriveContent } from "../decode/read-modules.ts";
import type { Compare } from "./contradictions.ts";
import { refused } from "./foreign-archive.ts";

const codes = sql<[...CodeCells, string | null]>`SELECT ${codeColumns}, b.node_abi FROM ${jsonEach(":ids::json", "j")}
  JOIN _bytecodes b ON b.id = CAST(j.value AS bigint) ${codeJoin}`;
const unshown = sql<[hex: string, Integer]>`SELECT ${hexOf("b.sha256")}, b.id FROM _bytecodes b WHERE EXISTS (SELECT 1
  FROM _module_probes p WHERE p.bytecode_id = b.id) OR NOT EXISTS (SELECT 1 FROM _listing_modules m
  JOIN _listing_spans s ON s.listing_id = m.listing_id WHERE m.bytecode_id = b.id) ORDER BY b.id`;
const reported = sql<[Integer]>`SELECT b.id FROM _bytecodes b WHERE b.node_abi IS NOT NULL ORDER BY b.id`;
const stored = sql<[string, Integer, string | null]>`SELECT j.value, b.id, b.node_abi FROM ${jsonEach(":digests::json", "j")}
  JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")}`;
const storeNodeAbi = sql`UPDATE _bytecodes SET node_abi = :abi::json, derived_by = NULL, error_code = NULL, error_offset = NULL, error_message = NULL WHERE id = :id`;

/** Bytecodes whose bytes are in memory at a time: each may have 1 MiB. */
const AT_ONCE = 100;

/** Stores bytecode without an account or version. @returns how many are new */
export async function storeAlone(tx: Transaction, { internAll }: Bytecodes, contents: Iterable<ModuleContent>): Promise<number> {
  const modules = Array.from(contents, (content) => ({ address: 0, module: { name: "", sha256: sha256(content.code), content } }));
  return (await internAll(tx, modules)).filter(({ isNew }) => isNew).length;
}

/** Takes over bytecode that no snapshot of a foreign database shows: of point reads, and of files. @returns how many are new */
export async function takeBytecodes(tx: Transaction, session: Session, bytecodes: Bytecodes): Promise<number> {
  let added = 0;
  for await (const list of session.stream(unshown))
    for (const rows of chunks(list, AT_ONCE))
      added += await storeAlone(tx, bytecodes, (await contentsNotHeld(tx, session, new Map(rows))).values());
  return added;
}

/** A node's ABI for bytes that are stored: taken where there is none, compared where there is one. */
export async function compareNodeAbis(tx: Transaction, session: Session, compare: Compare): Promise<void> {
  for await (const list of session.stream(reported))
    for (const rows of chunks(list, AT_ONCE)) {
      const contents = await readContents(session, rows.flat());
      for (const [hex, id, before] of await tx.all(stored, { digests: JSON.stringify([...contents.keys()]) })) {
        const reported = contents.get(hex)?.nodeAbi;
        const abi = reported && JSON.stringify(formatNodeAbi(reported));
        if (abi !== undefined && before === null) await tx.run(storeNodeAbi, { abi, id });
        else if (abi !== undefined && before !== null) compare("node_abi", hex, sha256Hex(before), sha256Hex(abi));
      }
    }
}

/** The foreign bytecodes that are not stored here, by SHA-256 in hex; `wanted` has their numbers there. */
export async function contentsNotHeld(tx: Transaction, session: Session, wanted: ReadonlyMap<string, Integer>) {
  const held = await findBytecodes(tx, [...wanted.keys()]);
  return readContents(
    session,
    [...wanted].flatMap(([hex, id]) => (held.has(hex) ? [] : [id])),
  );
}

/** The bytes of a foreign database's bytecodes, by SHA-256 in hex. @throws StoreError `MOVEDEX_STORE_ARCHIVE` for damaged ones */
async function readContents(session: Session, ids: readonly Integer[]): Promise<Map<string, ModuleContent>> {
  if (ids.length === 0) return new Map();
  const rows = await session.all(codes, { ids: JSON.stringify(ids.map(Number)) });
  const unpack = await readBases(session, rows);
  return new Map(
    rows.map((row) => {
      const hex = formatHex(row[0]);
      const code = unlessDamaged(() => unpack(row).code);
      if (code === undefined || sha256Hex(code) !== hex) throw refused(`its bytecode ${hex} is damaged, or has another SHA-256`);
      return [hex, deriveContent(code, row[4])];
    }),
  );
}
