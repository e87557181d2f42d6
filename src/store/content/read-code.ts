import { sql } from "../../schema/sql/sql.ts";
import type { Integer, Session } from "../engine/engine.ts";
import { unpackCode, WITH_BASE } from "./code-blobs.ts";

/** Columns for a SELECT: the packed bytes of the bytecode `b`, and those of the bytecode that it is packed with. */
export const codeColumns = sql`b.sha256, b.size, b.code, d.sha256, d.size, d.code`;

/** The join that goes with them; its values are `codeValues`. */
export const codeJoin = sql`LEFT JOIN bytecodes d ON substr(b.code, 1, 1) = :with_base AND d.sha256 = substr(b.code, 2, 32)`;

/** The values of the parameters in `codeJoin`. */
export const codeValues = { with_base: WITH_BASE } as const;

/** What `codeColumns` give. */
export type CodeCells = readonly [
  sha256: Uint8Array,
  size: Integer,
  code: Uint8Array,
  baseSha256: Uint8Array | null,
  baseSize: Integer | null,
  baseCode: Uint8Array | null,
];

const packed = sql`SELECT ${codeColumns} FROM bytecodes b ${codeJoin} WHERE b.id = :id`;

/** The plain bytes of stored bytecode; undefined when there is no such row. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export async function readCode(session: Session, id: Integer): Promise<Uint8Array | undefined> {
  const row = await session.first<CodeCells>(packed, { id, ...codeValues });
  return row === undefined ? undefined : codeIn(row);
}

/** The plain bytes that columns hold. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export function codeIn([sha256, size, code, baseSha256, baseSize, baseCode]: CodeCells): Uint8Array {
  const base =
    baseSha256 === null || baseSize === null || baseCode === null
      ? undefined
      : { sha256: baseSha256, size: Number(baseSize), code: baseCode };
  return unpackCode({ sha256, size: Number(size), code }, base);
}
