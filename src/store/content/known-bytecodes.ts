import type { HotStatements } from "../connection/hot-statements.ts";

/** Rows of bytecodes that were found before, by digest. */
export type KnownBytecodes = {
  /** Asks the database, unless it was found before. To be called outside a transaction: what one inserts may be rolled back. */
  readonly find: (sha256: Uint8Array) => bigint | undefined;
  /** What was found before; asks nobody. */
  readonly remembered: (sha256: Uint8Array) => bigint | undefined;
};

/** Some 6 MB of heap, measured with as many made-up digests. A night sees the same few thousand bytecodes over and over: packages are published at many addresses. */
const MOST = 50_000;

/** Bytecode is never deleted, and one connection writes, so that a row once found stays what it is. */
export function prepareKnownBytecodes(statements: HotStatements): KnownBytecodes {
  const found = new Map<string, bigint>();
  return {
    find: (sha256) => {
      const key = keyOf(sha256);
      const known = found.get(key);
      if (known !== undefined) return known;
      const id = statements.bytecodeId.get(sha256);
      if (id === undefined) return undefined;
      if (found.size >= MOST) found.clear();
      found.set(key, id);
      return id;
    },
    remembered: (sha256) => found.get(keyOf(sha256)),
  };
}

function keyOf(sha256: Uint8Array): string {
  return Buffer.from(sha256.buffer, sha256.byteOffset, sha256.byteLength).toString("latin1");
}
