import { sql } from "../../schema/sql/sql.ts";
import type { Integer, Session } from "../engine/engine.ts";
import { unpackCode, WITH_BASE } from "./code-blobs.ts";

type Row = readonly [
  sha256: Uint8Array,
  size: number,
  code: Uint8Array,
  baseSha256: Uint8Array | null,
  baseSize: number | null,
  baseCode: Uint8Array | null,
];

const packed = sql`SELECT b.sha256, b.size, b.code, d.sha256, d.size, d.code FROM bytecodes b
  LEFT JOIN bytecodes d ON substr(b.code, 1, 1) = :with_base AND d.sha256 = substr(b.code, 2, 32) WHERE b.id = :id`;

/** The plain bytes of stored bytecode; undefined when there is no such row. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export async function readCode(session: Session, id: Integer): Promise<Uint8Array | undefined> {
  const row = await session.first<Row>(packed, { id, with_base: WITH_BASE });
  if (row === undefined) return undefined;
  const [sha256, size, code, baseSha256, baseSize, baseCode] = row;
  const base =
    baseSha256 === null || baseSize === null || baseCode === null ? undefined : { sha256: baseSha256, size: baseSize, code: baseCode };
  return unpackCode({ sha256, size, code }, base);
}
