import { grouped, keepTexts, listFirst, plural } from "../../core/base/plural.ts";
import { DAY_MS } from "../../core/base/time.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { countOf, orNull, rowOf, text, version, versionsOf } from "../../core/db/engine/row-shape.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";
import { moduleChangeRows } from "../changes/views.ts";
import { storedForecasts } from "../horizon/horizon-forecast.ts";

const account = rowOf({
  address: text<Address>("a.address"),
  /** The newest version at which it is held; null where it never was. */
  lastHeld: orNull(version("max(c.to_version)")),
});

const newest = sql`(SELECT max(p.ledger_version) FROM _all_snapshots p WHERE p.sealed_at IS NOT NULL)`;
// Targets, and accounts that the newest snapshot has no answer for, of which nothing is held from `below` on; the oldest first.
const unheld = sql`SELECT ${account.columns} FROM (SELECT t.address_id AS id FROM _targets t WHERE t.removed_at IS NULL
    UNION SELECT m.address_id FROM _all_gaps m WHERE m.ledger_version = ${newest}) k
  JOIN _addresses a ON a.id = k.id LEFT JOIN _coverage c ON c.address_id = k.id
  GROUP BY a.id, a.address HAVING count(*) FILTER (WHERE c.from_version IS NOT NULL AND (c.to_version IS NULL OR c.to_version >= :below)) = 0
  ORDER BY max(c.to_version) IS NULL DESC, max(c.to_version), length(a.address), a.address LIMIT CAST(:limit AS int)`;
// Snapshots that are not whole, and versions that backfill is still to read.
const unread = sql`SELECT p.ledger_version FROM _all_snapshots p WHERE p.ledger_version >= :from AND p.ledger_version < :below AND
    (p.sealed_at IS NULL AND p.status <> 'abandoned' OR EXISTS (SELECT 1 FROM _all_gaps m WHERE m.ledger_version = p.ledger_version AND NOT m.is_final))
  UNION SELECT b.ledger_version FROM _backfill_points b WHERE b.state = 'planned' AND b.ledger_version >= :from AND b.ledger_version < :below
  ORDER BY 1`;
// Changes that can still be traced to their version, and not after `below` is pruned.
const untraced = sql`SELECT count(*) FROM (${moduleChangeRows()}) changes
  WHERE NOT is_exact AND at_or_before_version > :from AND after_version < :below`;

const [ACCOUNTS_MAX, NAMES_MAX] = [500, 5];

export type Going = NonNullable<Awaited<ReturnType<typeof readGoing>>>;

/**
 * What the node that was asked last prunes within a day, and what is not held of it; undefined where its horizon is not known to rise, or
 * has passed all that it had when it was asked.
 */
export async function readGoing(engine: Engine, nowMs: number) {
  const [forecast] = await storedForecasts(engine, nowMs);
  const atMs = nowMs + DAY_MS;
  const below = forecast?.prunedBy(atMs)?.expected;
  if (forecast === undefined || below === undefined || below <= forecast.oldest || forecast.isPast(nowMs)) return undefined;
  const stretch = { from: forecast.oldest, below };
  return {
    atMs,
    /** The first version that is still readable then, and now. */
    ...stretch,
    node: forecast.node,
    accounts: await account.all(engine, unheld, { below, limit: ACCOUNTS_MAX }),
    versions: await versionsOf(engine, unread, stretch),
    changes: await countOf(engine, untraced, stretch),
  };
}

/** `versions below 14,500,000 are gone by 2026-02-20T00:00Z`. */
export function horizonSentence({ below, atMs }: Pick<Going, "below" | "atMs">): string {
  return `versions below ${grouped(below)} are gone by ${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

/** What is not held of that, a clause each; empty where all of it is held. */
export function unheldClauses({ accounts, versions, changes }: Going): string[] {
  const named = accounts.map(
    ({ address, lastHeld }) => `${address} (${lastHeld === null ? "never read" : `last held at ${grouped(lastHeld)}`})`,
  );
  const unread = versions.map((version) => grouped(version));
  return keepTexts([
    named.length > 0 && `${plural(named.length, "account")}: ${listFirst(named, NAMES_MAX)}`,
    unread.length > 0 && `${plural(unread.length, "snapshot")} not read to the end: ${listFirst(unread, NAMES_MAX)}`,
    changes > 0 && `the exact ${changes === 1 ? "version of 1 change" : `versions of ${grouped(changes)} changes`}`,
  ]);
}
