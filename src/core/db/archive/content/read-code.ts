import type { Integer, Session } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type CodeCells, unpackVersion, type Version } from "./code-blobs.ts";

export type { CodeCells } from "./code-blobs.ts";

/** Columns for a SELECT, which give `CodeCells`: the bytecode `b` as it is stored. */
export const codeColumns = sql`b.sha256, b.size, bc.code, bc.base_id`;

type CodeRow = readonly [...CodeCells, ...unknown[]];

export const codeJoin = sql`LEFT JOIN _bytecode_blobs bc ON bc.id = b.id`;

const withBases = sql<[Integer, ...CodeCells]>`WITH RECURSIVE chain(id) AS (SELECT CAST(j.value AS bigint)
  FROM ${jsonEach(":ids::json", "j")} UNION SELECT c.base_id FROM chain n JOIN _bytecode_blobs c ON c.id = n.id
  WHERE c.base_id IS NOT NULL) SELECT b.id, ${codeColumns} FROM chain n JOIN _bytecodes b ON b.id = n.id ${codeJoin}`;

/** Reads bytecodes by number. What it returns unpacks one, undefined if there is none. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export async function readCodes(session: Session, ids: readonly Integer[]): Promise<(id: Integer) => Version | undefined> {
  const find = await findPacked(session, ids);
  return (id) => {
    const found = find(id);
    return found && unpackVersion(found, find);
  };
}

/** Reads what rows are packed with. What it returns unpacks one of the rows. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export async function readBases(session: Session, rows: readonly CodeRow[]): Promise<(row: CodeRow) => Version> {
  const find = await findPacked(session, [...new Set(rows.flatMap(([, , , baseId]) => baseId ?? []))]);
  return ([sha256, size, code, baseId]) => unpackVersion([sha256, size, code, baseId], find);
}

async function findPacked(session: Session, ids: readonly Integer[]): Promise<(id: Integer) => CodeCells | undefined> {
  const values = { ids: JSON.stringify(ids.map(Number)) };
  const rows = ids.length === 0 ? [] : await session.all(withBases, values);
  const found = new Map(rows.map(([id, ...cells]) => [Number(id), cells] as const));
  return (id) => found.get(Number(id));
}

/** What `unpack` gives; undefined where the stored bytes are damaged. */
export function unlessDamaged<T>(unpack: () => T): T | undefined {
  try {
    return unpack();
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
