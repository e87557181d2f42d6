import type { Engine } from "../../engine/engine.ts";
import { orUndefined, shapeOf, whole } from "../../engine/shape.ts";
import { forUpdate, greatest, later, now } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";

/** What the processes that ask a node know together. */
export type NodePause = ReturnType<typeof toPause>;

/** How long a part is granted: one that died holds its part so long. */
export const GRANT_MS = 2_500;

const begin = sql`INSERT INTO _node_pauses (node) VALUES (:node) ON CONFLICT (node) DO NOTHING`;
const pauseRow = shapeOf({
  until: orUndefined(whole("p.paused_until")),
  complainedAt: orUndefined(whole("p.complained_at")),
  now: whole(now),
});
const pause = sql`SELECT ${pauseRow.columns} FROM _node_pauses p WHERE p.node = :node`;
// Who renews a part holds this row meanwhile, so that two never take the same rest.
const holdPause = sql`${pause} ${forUpdate}`;
const extend = sql`UPDATE _node_pauses SET paused_until = ${greatest(sql`coalesce(paused_until, ${now})`, later(now, ":pause"))},
  complained_at = CASE WHEN :complaint THEN ${now} ELSE complained_at END WHERE node = :node`;
const claim = shapeOf({ limitMilli: whole("limit_milli"), wantsMilli: whole("wants_milli"), grantedMilli: whole("granted_milli") });
const others = sql`SELECT ${claim.columns} FROM _rate_grants WHERE node = :node AND owner <> :owner AND until > ${now}`;
const clearLapsed = sql`DELETE FROM _rate_grants WHERE node = :node AND owner <> :owner AND until <= ${now}`;
const grant = sql`INSERT INTO _rate_grants (node, owner, limit_milli, wants_milli, granted_milli, until)
  VALUES (:node, :owner, :limit, :wants, :granted, ${later(now, ":ttl")})
  ON CONFLICT (node, owner) DO UPDATE SET limit_milli = excluded.limit_milli, wants_milli = excluded.wants_milli,
    granted_milli = excluded.granted_milli, until = excluded.until`;
const giveUp = sql`DELETE FROM _rate_grants WHERE node = :node AND owner = :owner`;

/** The pace that the processes of one database keep together at a node, which is named by its URL without credentials. */
export function prepareCommonPace(engine: Engine, owner: string, clock: () => number) {
  return {
    /** What is to be waited for: one question. */
    pauseOf: async (node: string): Promise<NodePause> => toPause(await pauseRow.first(engine, pause, { node, now: clock() })),
    /** Tells all that they have to wait. */
    announcePause: (
      node: string,
      { pausedMs, isComplaint }: { readonly pausedMs: number; readonly isComplaint: boolean },
    ): Promise<NodePause> =>
      engine.transaction(async (tx) => {
        await tx.run(begin, { node });
        await tx.run(extend, { node, pause: Math.ceil(pausedMs), complaint: isComplaint, now: clock() });
        return toPause(await pauseRow.first(tx, pause, { node, now: clock() }));
      }),
    /**
     * Renews this process's part of a rate that all share, for `GRANT_MS` by the database's clock; rates in requests a second. The
     * parts that are granted at any moment are together never above the smallest limit.
     */
    renewShare: (
      node: string,
      wish: { readonly limitPerSecond: number; readonly wantsPerSecond: number },
    ): Promise<NodePause & { readonly perSecond: number }> =>
      engine.transaction(async (tx) => {
        const at = { node, owner, now: clock() };
        await tx.run(begin, { node });
        const row = await pauseRow.first(tx, holdPause, at);
        await tx.run(clearLapsed, at);
        const [limit, wants] = [toMilli(wish.limitPerSecond), toMilli(wish.wantsPerSecond)];
        const granted = shareOf({ limitMilli: limit, wantsMilli: wants }, await claim.all(tx, others, at));
        await tx.run(grant, { ...at, limit, wants, granted, ttl: GRANT_MS });
        return { ...toPause(row), perSecond: granted / 1000 };
      }),
    /** Leaves the part to the others. */
    giveUpShare: async (node: string): Promise<void> => {
      await engine.run(giveUp, { node, owner });
    },
  };
}

export type CommonPaceStore = ReturnType<typeof prepareCommonPace>;

function toPause(row: ReturnType<typeof pauseRow.read> | undefined) {
  return {
    /** How long all are still to wait, in milliseconds; 0 for not at all. */
    pausedMs: row?.until === undefined ? 0 : Math.max(0, row.until - row.now),
    /** When the node last said that its rate was exceeded, by the database's clock; undefined for never. Only to be compared. */
    complainedAt: row?.complainedAt,
  };
}

/** Down to whole thousandths, so that nothing is granted beyond what was given; the least is one. */
function toMilli(perSecond: number): number {
  return Math.max(1, Math.floor(Math.min(perSecond, 1e9) * 1000));
}

/** One of those who share a rate, in thousandths of a request a second. */
export type RateClaim = { readonly limitMilli: number; readonly wantsMilli: number; readonly grantedMilli: number };

/**
 * What one of several may send of a shared rate: an equal part, and of what others do not want too, but never more than the
 * grants held now leave. The newcomer's part comes as others renew. The smallest limit counts.
 */
export function shareOf(mine: Omit<RateClaim, "grantedMilli">, others: readonly RateClaim[]): number {
  const limit = Math.min(mine.limitMilli, ...others.map(({ limitMilli }) => limitMilli));
  const held = others.reduce((sum, { grantedMilli }) => sum + grantedMilli, 0);
  const part = equalPart(limit, mine.wantsMilli, [mine.wantsMilli, ...others.map(({ wantsMilli }) => wantsMilli)]);
  return Math.max(0, Math.min(Math.floor(part), limit - held));
}

/** The max-min fair part: whoever wants less than an equal part gets what it wants, and the rest is divided among the others. */
function equalPart(limit: number, wants: number, all: readonly number[]): number {
  let [left, count] = [limit, all.length];
  for (const want of [...all].sort((a, b) => a - b)) {
    if (want * count > left) break;
    left -= want;
    count -= 1;
  }
  return count === 0 ? wants : Math.min(wants, left / count);
}
