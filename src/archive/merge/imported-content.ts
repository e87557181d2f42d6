import { formatNodeAbi } from "../../abi/node-json/format.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { Integer, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { type DerivedContent, deriveContent } from "../../exchange/modules/read-modules.ts";
import { bytesOf, each, hexOf } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { addBytecodes } from "../content/add-bytecodes.ts";
import { packCode, type Version } from "../content/code-blobs.ts";
import { type CodeCells, codeColumns, codeJoin, prepareUnpacking } from "../content/read-code.ts";
import type { ReportFinding } from "./merging.ts";
import { staged } from "./staging.ts";

/** How many bytecodes are packed and written at a time. */
const PAGE = 250;

const isStored = sql`EXISTS (SELECT 1 FROM _bytecodes b WHERE b.sha256 = ${bytesOf("m.sha256")})`;
const isThere = sql`(EXISTS (SELECT 1 FROM ${staged.archive_bytecodes} s WHERE s.sha256 = m.sha256) OR ${isStored})`;
const missing = sql`SELECT m.name, m.sha256 FROM ${staged.archive_modules} m WHERE NOT ${isThere}
  UNION ALL SELECT m.name, m.sha256 FROM ${staged.archive_module_probes} m WHERE m.sha256 IS NOT NULL AND NOT ${isThere} LIMIT 1`;

// New bytecode in the order of modules and of versions: what a module was before is packed before it, and it with that.
const newCodes = sql`WITH fresh AS (SELECT m.sha256, max(m.part) AS part FROM ${staged.archive_bytecodes} m WHERE NOT ${isStored} GROUP BY m.sha256),
  stood AS (SELECT m.address, m.name, m.sha256, m.from_version,
    lag(m.sha256) OVER (PARTITION BY m.address, m.name ORDER BY m.from_version, m.part) AS older FROM ${staged.archive_modules} m),
  firsts AS (SELECT s.*, row_number() OVER (PARTITION BY s.sha256 ORDER BY length(s.address), s.address, s.name, s.from_version) AS nth
    FROM stood s JOIN fresh f ON f.sha256 = s.sha256)
  SELECT row_number() OVER (ORDER BY length(q.address), q.address, q.name, q.from_version, f.sha256) AS place, f.sha256, f.part, q.older, q.name,
    a.id AS address_id FROM fresh f LEFT JOIN firsts q ON q.sha256 = f.sha256 AND q.nth = 1 LEFT JOIN _addresses a ON a.address = q.address`;
const indexCodes = sql`CREATE INDEX new_codes_place ON new_codes (place)`;
const newPage = sql`SELECT n.sha256, s.code, s.node_abi, coalesce(n.older, (SELECT ${hexOf("o.sha256")} FROM _listing_spans ls
    JOIN _listing_modules lm ON lm.listing_id = ls.listing_id AND lm.name = n.name JOIN _bytecodes o ON o.id = lm.bytecode_id
    WHERE ls.address_id = n.address_id ORDER BY ls.from_version DESC LIMIT 1))
  FROM new_codes n JOIN ${staged.archive_bytecodes} s ON s.sha256 = n.sha256 AND s.part = n.part
  WHERE n.place > :after AND n.place <= :until ORDER BY n.place`;
const versions = sql`SELECT ${codeColumns}, j.value
  FROM ${each(":digests::json", "j")} JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")} ${codeJoin}`;

const reported = sql`SELECT m.sha256, m.code, m.node_abi, b.id, b.node_abi FROM ${staged.archive_bytecodes} m JOIN _bytecodes b ON b.sha256 = ${bytesOf("m.sha256")}
  WHERE m.node_abi IS NOT NULL AND m.sha256 > :after ORDER BY m.sha256, m.part LIMIT 100`;
const storeNodeAbi = sql`UPDATE _bytecodes SET node_abi = :abi::json, derived_by = NULL, error_code = NULL, error_offset = NULL, error_message = NULL WHERE id = :id`;

/**
 * Writes the bytecode of a staged archive that is not stored yet, with a node's ABI where movedex cannot decode it. @returns how
 * many are new @throws StoreError `MOVEDEX_STORE_ARCHIVE` when the archive names bytes that nobody holds
 */
export async function importContent(tx: Transaction, report: ReportFinding): Promise<number> {
  const lost = await tx.first<[name: string, sha256: string]>(missing);
  if (lost !== undefined) throw missingBytecode(...lost);
  await compareNodeAbis(tx, report);
  await tx.stageSelect("new_codes", newCodes);
  await tx.run(indexCodes);
  for (let after = 0; ; after += PAGE) {
    const page = await tx.all<NewCode>(newPage, { after, until: after + PAGE });
    if (page.length > 0) await writePage(tx, page);
    if (page.length < PAGE) return after + page.length;
  }
}

type NewCode = readonly [sha256: string, code: Uint8Array, nodeAbi: string | null, older: string | null];

async function writePage(tx: Transaction, page: readonly NewCode[]): Promise<void> {
  const own = new Set(page.map(([hex]) => hex));
  const known = await readVersions(tx, [...new Set(page.flatMap(([, , , older]) => (older === null || own.has(older) ? [] : [older])))]);
  const codes = page.map(([hex, bytes, nodeAbi, older]) => {
    const content = deriveContent(bytes, nodeAbi);
    const packed = packCode(bytes, older === null ? undefined : known.get(older));
    const digest = Buffer.from(hex, "hex");
    known.set(hex, { sha256: digest, code: bytes, packedBytes: packed.code.length, base: packed.base });
    return { sha256: digest, size: bytes.length, ...packed, bytecodeVersion: content.bytecodeVersion, nodeAbi: abiText(content) };
  });
  await addBytecodes(tx, codes);
}

async function readVersions(tx: Transaction, digests: readonly string[]): Promise<Map<string, Version>> {
  if (digests.length === 0) return new Map();
  const rows = await tx.all<[...CodeCells, hex: string]>(versions, { digests: JSON.stringify(digests) });
  const unpack = await prepareUnpacking(tx, rows);
  return new Map(rows.map((row) => [row[4], unpack(row)]));
}

/** A node's ABI for bytes that are stored already: taken where there is none, a finding where there is another. */
async function compareNodeAbis(tx: Transaction, report: ReportFinding): Promise<void> {
  for (let after = ""; ; ) {
    const page = await tx.all<[string, Uint8Array, string, Integer, string | null]>(reported, { after });
    for (const [hex, bytes, nodeAbi, id, before] of page) {
      after = hex;
      const text = abiText(deriveContent(bytes, nodeAbi));
      if (text === null) continue;
      const [stored, found] = [before === null ? undefined : sha256Hex(before), sha256Hex(text)];
      if (stored === undefined) await tx.run(storeNodeAbi, { abi: text, id });
      else if (stored !== found) report({ kind: "node_abi", subject: hex, fromVersion: 0n, toVersion: 0n, stored, found });
    }
    if (page.length === 0) return;
  }
}

function abiText({ nodeAbi }: DerivedContent): string | null {
  return nodeAbi === undefined ? null : JSON.stringify(formatNodeAbi(nodeAbi));
}

function missingBytecode(name: string, hex: string): StoreError {
  const text = `the archive names bytecode ${hex} (module \`${name}\`) and lacks it, and this database lacks it too. Nothing was imported.`;
  return new StoreError("MOVEDEX_STORE_ARCHIVE", text, { facts: { name, sha256: hex } });
}
