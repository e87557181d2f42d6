import type { Database } from "better-sqlite3";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { sqliteWords } from "../../schema/sql/sqlite-words.ts";
import { workTables } from "../../schema/tables/work.ts";

/** Chain ids are one byte. */
const CHAIN_IDS = 256n;

const checksum = checksumOf(workTables.archive).in(sqliteWords);

/**
 * Puts the chain's number back where it was damaged and the checksum of its row proves which one was written. One bit of it
 * would otherwise make every run refuse the right node. What no number explains stays as it is, and `verify` reports it.
 *
 * @returns what stood there and what does now; undefined when nothing was changed
 */
export function mendChainId(database: Database): { readonly found: bigint | null; readonly chainId: bigint | null } | undefined {
  const isSound = database.prepare<[], bigint>(`SELECT checksum IS NULL OR checksum = ${checksum} FROM archive`).pluck();
  if (isSound.get() !== 0n) return undefined;
  const stored = database.prepare<[], bigint | null>("SELECT chain_id FROM archive").pluck();
  const found = stored.get() ?? null;
  const set = database.prepare<[bigint | null]>("UPDATE archive SET chain_id = ?");
  const mend = database.transaction(() => {
    for (let candidate = 0n; candidate < CHAIN_IDS; candidate++) {
      set.run(candidate);
      if (isSound.get() === 1n) return;
    }
    set.run(null);
    if (isSound.get() !== 1n) throw new Unexplained();
  });
  try {
    mend.immediate();
    return { found, chainId: stored.get() ?? null };
  } catch (error) {
    if (!(error instanceof Unexplained)) throw error;
    return undefined;
  }
}

/** Rolls back what was tried. */
class Unexplained extends Error {}
