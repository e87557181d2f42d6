import { formatHex } from "../../../core/base/bytes.ts";
import { type CodeCells, codeColumns, codeJoin, readBases } from "../../../core/db/archive/content/read-code.ts";
import type { Integer, Session } from "../../../core/db/engine/engine.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import { MovedexError, present } from "../../../core/errors.ts";
import { MODULE_SIZE_MAX } from "../../../core/move/module/cursor.ts";

const packed = sql<CodeCells>`SELECT ${codeColumns} FROM _bytecodes b ${codeJoin} WHERE b.id = :id`;

/** The plain bytes of stored bytecode. @throws StoreError `MOVEDEX_STORE_DAMAGED`; OversizedError before anything is unpacked */
export async function readServedCode(session: Session, id: Integer): Promise<Uint8Array> {
  const cells = present(await session.first(packed, { id }), `there is no bytecode ${id}`);
  const [sha256, size] = cells;
  if (size > MODULE_SIZE_MAX) throw new OversizedError(sha256, Number(size));
  return (await readBases(session, [cells]))(cells).code;
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
