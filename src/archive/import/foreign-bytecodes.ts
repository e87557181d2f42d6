import { formatNodeAbi } from "../../abi/node-json/format.ts";
import { formatHex } from "../../base/bytes.ts";
import type { Cell } from "../../base/cell.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { listsOf } from "../../engine/check.ts";
import type { Integer, Session, Transaction } from "../../engine/engine.ts";
import { bytesOf, jsonEach } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { findBytecodes } from "../content/add-bytecodes.ts";
import type { Bytecodes } from "../content/bytecodes.ts";
import type { Contradictions } from "./contradictions.ts";
import { keyIn } from "./foreign-cells.ts";
import { readContents } from "./foreign-listings.ts";

const unshown = sql<[Integer, Cell]>`SELECT b.id, b.sha256 FROM _bytecodes b WHERE b.id > :after AND (EXISTS (SELECT 1
  FROM _module_probes p WHERE p.bytecode_id = b.id) OR NOT EXISTS (SELECT 1 FROM _listing_modules m
  JOIN _listing_spans s ON s.listing_id = m.listing_id WHERE m.bytecode_id = b.id)) ORDER BY b.id LIMIT 100`;
const reported = sql<[Integer]>`SELECT b.id FROM _bytecodes b WHERE b.id > :after AND b.node_abi IS NOT NULL ORDER BY b.id LIMIT 100`;
const stored = sql<[string, Integer, string | null]>`SELECT j.value, b.id, b.node_abi FROM ${jsonEach(":digests::json", "j")}
  JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")}`;
const storeNodeAbi = sql`UPDATE _bytecodes SET node_abi = :abi::json, derived_by = NULL, error_code = NULL, error_offset = NULL, error_message = NULL WHERE id = :id`;

/** Takes over bytecode that no snapshot of a foreign database shows: of point reads, and of files. @returns how many are new */
export async function takeBytecodes(tx: Transaction, session: Session, internAll: Bytecodes["internAll"]): Promise<number> {
  let added = 0;
  for await (const rows of listsOf((after) => session.all(unshown, { after }))) {
    const held = await findBytecodes(
      tx,
      rows.map(([, digest]) => formatHex(keyIn(digest))),
    );
    const missing = rows.filter(([, digest]) => !held.has(formatHex(keyIn(digest)))).map(([id]) => id);
    const contents = await readContents(session, missing);
    const modules = [...contents].map(([hex, content]) => ({ address: 0, module: { name: "", sha256: Buffer.from(hex, "hex"), content } }));
    added += (await internAll(tx, modules)).filter(({ isNew }) => isNew).length;
  }
  return added;
}

/** A node's ABI for bytes that are stored: taken where there is none, a finding where there is another. */
export async function compareNodeAbis(tx: Transaction, session: Session, contradictions: Contradictions): Promise<void> {
  for await (const rows of listsOf((after) => session.all(reported, { after }))) {
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
