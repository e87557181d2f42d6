import { formatNodeAbi } from "../../core/abi/node-json/format.ts";
import { formatHex } from "../../core/base/bytes.ts";
import { chunks } from "../../core/base/chunks.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { Bytecodes } from "../../core/db/archive/content/bytecodes.ts";
import { findBytecodes, type ModuleContent, type ObservedModule } from "../../core/db/archive/content/observed-module.ts";
import { type CodeCells, codeColumns, codeJoin, readBases, unlessDamaged } from "../../core/db/archive/content/read-code.ts";
import type { Integer, Session, Transaction } from "../../core/db/engine/engine.ts";
import { bytesOf, jsonEach } from "../../core/db/schema/sql/functions.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { deriveContent } from "../decode/read-modules.ts";
import type { Contradictions } from "./compare-accounts.ts";
import type { ForeignListing } from "./foreign-accounts.ts";
import { refused } from "./foreign-cells.ts";

const codes = sql<[...CodeCells, string | null]>`SELECT ${codeColumns}, b.node_abi FROM ${jsonEach(":ids::json", "j")}
  JOIN _bytecodes b ON b.id = CAST(j.value AS bigint) ${codeJoin}`;
const unshown = sql<[Integer, Uint8Array]>`SELECT b.id, b.sha256 FROM _bytecodes b WHERE EXISTS (SELECT 1
  FROM _module_probes p WHERE p.bytecode_id = b.id) OR NOT EXISTS (SELECT 1 FROM _listing_modules m
  JOIN _listing_spans s ON s.listing_id = m.listing_id WHERE m.bytecode_id = b.id) ORDER BY b.id`;
const reported = sql<[Integer]>`SELECT b.id FROM _bytecodes b WHERE b.node_abi IS NOT NULL ORDER BY b.id`;
const stored = sql<[string, Integer, string | null]>`SELECT j.value, b.id, b.node_abi FROM ${jsonEach(":digests::json", "j")}
  JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")}`;
const storeNodeAbi = sql`UPDATE _bytecodes SET node_abi = :abi::json, derived_by = NULL, error_code = NULL, error_offset = NULL, error_message = NULL WHERE id = :id`;

/** Bytecodes whose bytes are in memory at a time: each may have 1 MiB. */
const AT_ONCE = 100;

async function* few<R>(lists: AsyncIterable<readonly R[]>): AsyncGenerator<readonly R[]> {
  for await (const list of lists) yield* chunks(list, AT_ONCE);
}

/** Takes over bytecode that no snapshot of a foreign database shows: of point reads, and of files. @returns how many are new */
export async function takeBytecodes(tx: Transaction, session: Session, internAll: Bytecodes["internAll"]): Promise<number> {
  let added = 0;
  for await (const rows of few(session.stream(unshown))) {
    const held = await findBytecodes(
      tx,
      rows.map(([, digest]) => formatHex(digest)),
    );
    const missing = rows.filter(([, digest]) => !held.has(formatHex(digest))).map(([id]) => id);
    const contents = await readContents(session, missing);
    const modules = [...contents].map(([hex, content]) => ({ address: 0, module: { name: "", sha256: Buffer.from(hex, "hex"), content } }));
    added += (await internAll(tx, modules)).filter(({ isNew }) => isNew).length;
  }
  return added;
}

/** A node's ABI for bytes that are stored: taken where there is none, a finding where there is another. */
export async function compareNodeAbis(tx: Transaction, session: Session, contradictions: Contradictions): Promise<void> {
  for await (const rows of few(session.stream(reported))) {
    const contents = await readContents(
      session,
      rows.map(([id]) => id),
    );
    const own = await tx.all(stored, { digests: JSON.stringify([...contents.keys()]) });
    for (const [hex, id, before] of own) {
      const abi = contents.get(hex)?.nodeAbi;
      if (abi === undefined) continue;
      const text = JSON.stringify(formatNodeAbi(abi));
      if (before === null) await tx.run(storeNodeAbi, { abi: text, id });
      else if (sha256Hex(before) !== sha256Hex(text))
        contradictions.add(0n, { kind: "node_abi", subject: hex, stored: sha256Hex(before), found: sha256Hex(text) });
    }
  }
}

/** A listing's modules as a visit brings them: with the bytes of those that are not stored here. */
export async function withContent(tx: Transaction, session: Session, listings: readonly ForeignListing[]): Promise<ObservedModule[][]> {
  const ids = new Map(listings.flatMap(({ modules }) => modules.map(({ id, sha256 }) => [formatHex(sha256), id] as const)));
  const stored = await findBytecodes(tx, [...ids.keys()]);
  const contents = await readContents(
    session,
    [...ids].flatMap(([hex, id]) => (stored.has(hex) ? [] : [id])),
  );
  return listings.map(({ modules }) =>
    modules.map(({ name, sha256 }): ObservedModule => {
      const content = contents.get(formatHex(sha256));
      return content === undefined ? { name, sha256 } : { name, sha256, content };
    }),
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
