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
 */
export function mendChainId(database: Database): void {
  const isSound = database.prepare<[], bigint>(`SELECT checksum IS NULL OR checksum = ${checksum} FROM archive`).pluck();
  if (isSound.get() !== 0n) return;
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
  } catch (error) {
    if (!(error instanceof Unexplained)) throw error;
  }
}

/** Rolls back what was tried. */
class Unexplained extends Error {}
