import type { Engine, Integer } from "../../engine/engine.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";

/**
 * The archive's ledger: its newest and oldest sealed version with their time, epoch and block heights. These are exact where a
 * node was pinned there; else of the head seen closely above (`NEAR`) or the newest below, and 0 without one.
 */
export type ArchiveHead = {
  readonly chainId: number;
  readonly newest: bigint;
  readonly oldest: bigint;
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
  readonly blockHeight: bigint;
  readonly oldestBlockHeight: bigint;
  /** How many snapshots are sealed. */
  readonly snapshots: number;
  /** When one was sealed last, in milliseconds since 1970. */
  readonly sealedAt: number;
};

/** How far above a version a head may lie to stand for it: what a night's lag is at most, an hour of the slowest known ledger. */
const NEAR = 10_000;

type Ends = readonly [chainId: number | null, newest: Integer | null, oldest: Integer | null, snapshots: number, sealedAt: number | null];
type NodeHead = readonly [timestampUsec: string, epoch: string | null, blockHeight: string | null];

const ends = sql`SELECT (SELECT a.chain_id FROM _archive a), max(p.ledger_version), min(p.ledger_version), count(*), max(p.sealed_at)
  FROM _pins p WHERE ${sealed("p")}`;
// The nearest head from the version up to closely above it, else the nearest below.
const headNear = sql`SELECT h.head_timestamp_usec, h.head_epoch, h.head_block_height FROM _pins h WHERE h.head_version - :version <= :near
  ORDER BY CASE WHEN h.head_version >= :version THEN 0 ELSE 1 END, abs(h.head_version - :version), h.ledger_version LIMIT 1`;
type BlockAt = readonly [version: Integer, height: string];
const blockBelow = sql`SELECT h.head_version, h.head_block_height FROM _pins h
  WHERE h.head_version <= :version AND h.head_block_height IS NOT NULL ORDER BY h.head_version DESC LIMIT 1`;
const blockAbove = sql`SELECT h.head_version, h.head_block_height FROM _pins h
  WHERE h.head_version >= :version AND h.head_block_height IS NOT NULL ORDER BY h.head_version LIMIT 1`;

/** Reads the head: undefined while nothing is sealed; `known` itself while no other snapshots are sealed than then. */
export async function readHead(engine: Engine, known: ArchiveHead | undefined): Promise<ArchiveHead | undefined> {
  const [chain, last, first, snapshots, at] = (await engine.first<Ends>(ends)) as Ends;
  if (last === null || first === null || chain === null) return undefined;
  const seen = { chainId: chain, newest: BigInt(last), oldest: BigInt(first), snapshots, sealedAt: at ?? 0 };
  if (known !== undefined && (Object.keys(seen) as (keyof typeof seen)[]).every((name) => seen[name] === known[name])) return known;
  const near = await engine.first<NodeHead>(headNear, { version: seen.newest, near: NEAR });
  const [timestampUsec, epoch, height] = near ?? ["0", null, null];
  const [oldestBlock, blockHeight] = [await blockAt(engine, seen.oldest), BigInt(height ?? 0)];
  return {
    ...seen,
    timestampUsec: BigInt(timestampUsec),
    epoch: BigInt(epoch ?? 0),
    blockHeight,
    oldestBlockHeight: oldestBlock < blockHeight ? oldestBlock : blockHeight,
  };
}

async function blockAt(engine: Engine, version: bigint): Promise<bigint> {
  // Version 0 is in block 0.
  const [from, low] = ((await engine.first<BlockAt>(blockBelow, { version })) ?? [0, "0"]).map(BigInt) as [bigint, bigint];
  const [to, high] = ((await engine.first<BlockAt>(blockAbove, { version })) ?? [from, low]).map(BigInt) as [bigint, bigint];
  return to === from || high <= low ? low : low + ((version - from) * (high - low)) / (to - from);
}
