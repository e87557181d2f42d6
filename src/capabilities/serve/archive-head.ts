import type { Engine } from "../../core/db/engine/engine.ts";
import { orNull, rowOf, version, whole } from "../../core/db/engine/row-shape.ts";
import { sealed } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";

/** How far above a version a head may lie to stand for it: what a night's lag is at most, an hour of the slowest known ledger. */
const NEAR = 10_000;

const sealedRange = rowOf({
  chainId: whole("(SELECT a.chain_id FROM _archive a)"),
  newest: version("max(p.ledger_version)"),
  oldest: version("min(p.ledger_version)"),
  snapshots: whole("count(*)"),
  /** When one was sealed last, in milliseconds since 1970. */
  sealedAt: orNull(whole("max(p.sealed_at)")),
});
const sealedNow = sql`SELECT ${sealedRange.columns} FROM _all_snapshots p WHERE ${sealed("p")} HAVING count(*) > 0 AND (SELECT a.chain_id FROM _archive a) IS NOT NULL`;

const headFacts = rowOf({
  timestampUsec: version("h.head_timestamp_usec"),
  epoch: version("coalesce(h.head_epoch, 0)"),
  blockHeight: version("coalesce(h.head_block_height, 0)"),
});
// The nearest head from the version up to closely above it, else the nearest below.
const headNear = sql`SELECT ${headFacts.columns} FROM _all_snapshots h WHERE h.head_version - :version <= :near
  ORDER BY CASE WHEN h.head_version >= :version THEN 0 ELSE 1 END, abs(h.head_version - :version), h.ledger_version LIMIT 1`;

const block = rowOf({ version: version("h.head_version"), height: version("h.head_block_height") });
const blocks = sql`SELECT ${block.columns} FROM _all_snapshots h WHERE h.head_block_height IS NOT NULL`;
const blockBelow = sql`${blocks} AND h.head_version <= :version ORDER BY h.head_version DESC LIMIT 1`;
const blockAbove = sql`${blocks} AND h.head_version >= :version ORDER BY h.head_version LIMIT 1`;

/** Newest and oldest sealed version; time, epoch and heights of the head pinned there, or near (`NEAR`), or below, else 0. */
export type ArchiveHead = ReturnType<typeof sealedRange.read> & ReturnType<typeof headFacts.read> & { readonly oldestBlockHeight: bigint };

/** What headers say of a ledger: of an archive's, or of a node's. */
export type LedgerHead = Omit<ArchiveHead, "snapshots" | "sealedAt">;

/** Reads the head: undefined while nothing is sealed; `known` itself while no other snapshots are sealed than then. */
export async function readHead(engine: Engine, known: ArchiveHead | undefined): Promise<ArchiveHead | undefined> {
  const seen = await sealedRange.first(engine, sealedNow);
  if (seen === undefined) return undefined;
  if (known !== undefined && (Object.keys(seen) as (keyof typeof seen)[]).every((name) => seen[name] === known[name])) return known;
  const unknown = { timestampUsec: 0n, epoch: 0n, blockHeight: 0n };
  const near = (await headFacts.first(engine, headNear, { version: seen.newest, near: NEAR })) ?? unknown;
  const oldestBlock = await blockAt(engine, seen.oldest);
  return { ...seen, ...near, oldestBlockHeight: oldestBlock < near.blockHeight ? oldestBlock : near.blockHeight };
}

async function blockAt(engine: Engine, version: bigint): Promise<bigint> {
  const low = (await block.first(engine, blockBelow, { version })) ?? { version: 0n, height: 0n };
  const high = (await block.first(engine, blockAbove, { version })) ?? low;
  if (high.version === low.version || high.height <= low.height) return low.height;
  return low.height + ((version - low.version) * (high.height - low.height)) / (high.version - low.version);
}
