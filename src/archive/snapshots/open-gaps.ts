import type { Engine } from "../../engine/engine.ts";
import { condition, shapeOf, textsOf, version, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { sql } from "../../schema/sql/sql.ts";

const isFinal = sql`(m.is_final OR p.status = 'abandoned')`;
const gaps = shapeOf({
  ledgerVersion: version("m.ledger_version"),
  /** Whether the snapshot was given up with nothing read: all its gaps are final. */
  isGivenUp: condition("max(CASE WHEN p.status = 'abandoned' THEN 1 ELSE 0 END)"),
  /** Will be tried again while a node can read the version. */
  open: whole(sql`count(*) FILTER (WHERE NOT ${isFinal} AND m.attempts < :tries)`),
  /** Tried often enough; left as they are. */
  parked: whole(sql`count(*) FILTER (WHERE NOT ${isFinal} AND m.attempts >= :tries)`),
  /** The version was pruned before the account was read: trying again cannot help. */
  final: whole(sql`count(*) FILTER (WHERE ${isFinal})`),
});

/** A snapshot's gaps, counted by what is to become of them. */
export type GapStates = ReturnType<typeof gaps.read>;

const states = sql`SELECT ${gaps.columns} FROM _misses m JOIN _pins p ON p.ledger_version = m.ledger_version
  WHERE p.status = 'sealed_with_gaps' OR (p.status = 'abandoned' AND :givenUp::int = 1) GROUP BY m.ledger_version ORDER BY m.ledger_version`;
const open = sql`SELECT a.address FROM _misses m JOIN _addresses a ON a.id = m.address_id
  WHERE m.ledger_version = :version AND NOT m.is_final AND m.attempts < :tries ORDER BY length(a.address), a.address`;

/** Which gaps of sealed snapshots are worth another try. `tries` is how often an account is tried, all runs together. */
export function prepareOpenGaps(engine: Engine) {
  return {
    /** Sealed snapshots with gaps, oldest first: what is endangered most comes first. `withGivenUp`: also those that were given up. */
    gapStates: (tries: number, { withGivenUp }: { readonly withGivenUp: boolean } = { withGivenUp: false }): Promise<GapStates[]> =>
      gaps.all(engine, states, { tries, givenUp: withGivenUp ? 1 : 0 }),
    /** A snapshot's accounts that are neither parked nor final, in the order of addresses. */
    openGaps: (version: bigint, tries: number): Promise<Address[]> => textsOf<Address>(engine, open, { version, tries }),
  };
}
