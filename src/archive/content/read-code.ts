import { formatHex } from "../../base/hex.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { MovedexError } from "../../errors.ts";
import { bytesOf, each } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { baseName, damagedCode, type PackedCode, unpackCode, WITH_BASE } from "./code-blobs.ts";

/** Columns for a SELECT: the packed bytes of the bytecode `b`, and those of the bytecode that it is packed with. */
export const codeColumns = sql`b.sha256, b.size, bc.code, d.sha256, d.size, dc.code`;

/** The join that goes with them; its values are `codeValues`. */
export const codeJoin = sql`LEFT JOIN _bytecode_blobs bc ON bc.id = b.id
  LEFT JOIN _bytecodes d ON substr(bc.code, 1, 1) = :with_base AND d.sha256 = substr(bc.code, 2, 32)
  LEFT JOIN _bytecode_blobs dc ON dc.id = d.id`;

/** The values of the parameters in `codeJoin`. */
export const codeValues = { with_base: WITH_BASE } as const;

/** What `codeColumns` give. */
export type CodeCells = readonly [
  sha256: Uint8Array,
  size: Integer,
  code: Uint8Array | null,
  baseSha256: Uint8Array | null,
  baseSize: Integer | null,
  baseCode: Uint8Array | null,
];

type Row = readonly [sha256: Uint8Array, size: number, code: Uint8Array];

/** The same, with what a damaged database may lack. */
export type StoredRow = readonly [sha256: Uint8Array, size: number, code: Uint8Array | null];

// Two questions: few are packed with a base, and in SQLite a join of the table with itself takes five times as long as finding the row.
const packed = sql`SELECT b.sha256, b.size, c.code FROM _bytecodes b LEFT JOIN _bytecode_blobs c ON c.id = b.id WHERE b.id = :id`;
const packedBases = sql`SELECT b.sha256, b.size, c.code FROM ${each(":digests::json", "j")} JOIN _bytecodes b ON b.sha256 = ${bytesOf("j.value")}
  JOIN _bytecode_blobs c ON c.id = b.id`;
const packedBase = sql`SELECT b.sha256, b.size, c.code FROM _bytecodes b JOIN _bytecode_blobs c ON c.id = b.id WHERE b.sha256 = :sha256`;

/**
 * The plain bytes of stored bytecode; undefined when there is no such row.
 * @throws StoreError `MOVEDEX_STORE_DAMAGED`; OversizedError for more than `sizeMax` bytes, before anything is unpacked
 */
export async function readCode(session: Session, id: Integer, sizeMax = Number.POSITIVE_INFINITY): Promise<Uint8Array | undefined> {
  const row = toPacked(await session.first<StoredRow>(packed, { id }));
  if (row === undefined) return undefined;
  if (row.size > sizeMax) throw new OversizedError(row.sha256, row.size);
  const sha256 = baseName(row.code);
  return unpackCode(row, sha256 === undefined ? undefined : toPacked(await session.first<StoredRow>(packedBase, { sha256 })));
}

/** What packed bytecodes are packed with, found by the bytecode; most are packed alone, and nothing is asked for these. */
export async function readBases(session: Session, rows: readonly PackedCode[]): Promise<(of: PackedCode) => PackedCode | undefined> {
  const names = new Set(rows.flatMap(({ code }) => baseName(code) ?? []).map(formatHex));
  const found = new Map<string, PackedCode>();
  if (names.size > 0) {
    for (const [sha256, size, code] of await session.all<Row>(packedBases, { digests: JSON.stringify([...names]) }))
      found.set(formatHex(sha256), { sha256, size, code });
  }
  return ({ code }) => {
    const name = baseName(code);
    return name === undefined ? undefined : found.get(formatHex(name));
  };
}

/** The plain bytes that columns hold. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export function codeIn([sha256, size, code, baseSha256, baseSize, baseCode]: CodeCells): Uint8Array {
  const base =
    baseSha256 === null || baseSize === null || baseCode === null
      ? undefined
      : { sha256: baseSha256, size: Number(baseSize), code: baseCode };
  return unpackCode(withCode([sha256, Number(size), code]), base);
}

function toPacked(row: StoredRow | undefined): PackedCode | undefined {
  return row === undefined ? undefined : withCode(row);
}

/** @throws StoreError `MOVEDEX_STORE_DAMAGED` for a bytecode whose bytes are not there, which is never written */
export function withCode([sha256, size, code]: StoredRow): PackedCode {
  if (code === null) throw damagedCode(sha256);
  return { sha256, size, code };
}

/** Bytecode that a node gave, larger than what any chain stores: it is kept, and not worth its memory. */
export class OversizedError extends MovedexError {
  constructor(sha256: Uint8Array, size: number) {
    const digest = formatHex(sha256);
    super(
      "MOVEDEX_OVERSIZED",
      `bytecode ${digest} has ${size} bytes, which no chain stores: a node gave it, and it is kept, but not served.`,
      { facts: { sha256: digest, size } },
    );
  }
}
