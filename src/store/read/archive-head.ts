import type { Database } from "better-sqlite3";
import { SEALED } from "../snapshots/held-snapshots.ts";

/**
 * The archive's ledger: its newest and oldest sealed version, and time, epoch and block heights for these two. A node says
 * these of its own head only, so they are exact where it was pinned at that version. Otherwise they are those of the head
 * that was seen closely above (see `NEAR`), else of the newest head seen below, which is not later than the truth; and 0
 * where no such head was seen.
 */
export type ArchiveHead = {
  readonly chainId: number;
  readonly newest: bigint;
  readonly oldest: bigint;
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
  readonly blockHeight: bigint;
  readonly oldestBlockHeight: bigint;
};

/** How far above a version a head may lie to stand for it: what a night's lag is at most, an hour of the slowest known ledger. */
const NEAR = 10_000n;

type HeadRow = {
  readonly head_version: bigint;
  readonly head_timestamp_usec: string;
  readonly head_epoch: string | null;
  readonly head_block_height: string | null;
};

/** Prepares the reading of the head; undefined while nothing is sealed. */
export function prepareHead(database: Database): () => ArchiveHead | undefined {
  const chainId = database.prepare<[], bigint | null>("SELECT chain_id FROM archive").pluck();
  const ends = database.prepare<[], { newest: bigint | null; oldest: bigint | null }>(
    `SELECT max(ledger_version) AS newest, min(ledger_version) AS oldest FROM pins WHERE ${SEALED}`,
  );
  const headBeside = (comparison: "<=" | ">=", order: "ASC" | "DESC") =>
    database.prepare<[bigint], HeadRow>(
      "SELECT head_version, head_timestamp_usec, head_epoch, head_block_height FROM pins " +
        `WHERE head_version ${comparison} ? ORDER BY head_version ${order} LIMIT 1`,
    );
  const headBelow = headBeside("<=", "DESC");
  const headAbove = headBeside(">=", "ASC");
  const headNear = (version: bigint): HeadRow | undefined => {
    const above = headAbove.get(version);
    return above !== undefined && above.head_version - version <= NEAR ? above : headBelow.get(version);
  };
  return () => {
    const { newest, oldest } = ends.get() as { newest: bigint | null; oldest: bigint | null };
    const chain = chainId.get();
    if (newest === null || oldest === null || chain === undefined || chain === null) return undefined;
    const [atNewest, atOldest] = [headNear(newest), headNear(oldest)];
    return {
      chainId: Number(chain),
      newest,
      oldest,
      timestampUsec: BigInt(atNewest?.head_timestamp_usec ?? 0),
      epoch: BigInt(atNewest?.head_epoch ?? 0),
      blockHeight: BigInt(atNewest?.head_block_height ?? 0),
      oldestBlockHeight: BigInt(atOldest?.head_block_height ?? 0),
    };
  };
}
