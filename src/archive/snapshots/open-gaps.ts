import type { Engine, Integer } from "../../engine/engine.ts";
import { textsOf } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { sql } from "../../schema/sql/sql.ts";

/** A snapshot's gaps, counted by what is to become of them. */
export type GapStates = {
  readonly ledgerVersion: bigint;
  /** Whether the snapshot was given up with nothing read: all its gaps are final. */
  readonly isGivenUp: boolean;
  /** Will be tried again while a node can read the version. */
  readonly open: number;
  /** Tried often enough; left as they are. */
  readonly parked: number;
  /** The version was pruned before the account was read: trying again cannot help. */
  readonly final: number;
};

const isFinal = sql`(m.is_final OR p.status = 'abandoned')`;
const states = sql`SELECT m.ledger_version, max(CASE WHEN p.status = 'abandoned' THEN 1 ELSE 0 END),
  count(*) FILTER (WHERE NOT ${isFinal} AND m.attempts < :tries),
  count(*) FILTER (WHERE NOT ${isFinal} AND m.attempts >= :tries), count(*) FILTER (WHERE ${isFinal})
  FROM _misses m JOIN _pins p ON p.ledger_version = m.ledger_version
  WHERE p.status = 'sealed_with_gaps' OR (p.status = 'abandoned' AND :givenUp::int = 1) GROUP BY m.ledger_version ORDER BY m.ledger_version`;
const open = sql`SELECT a.address FROM _misses m JOIN _addresses a ON a.id = m.address_id
  WHERE m.ledger_version = :version AND NOT m.is_final AND m.attempts < :tries ORDER BY length(a.address), a.address`;

type StatesRow = [version: Integer, isGivenUp: number, open: number, parked: number, final: number];

/** Which gaps of sealed snapshots are worth another try. `tries` is how often an account is tried, all runs together. */
export function prepareOpenGaps(engine: Engine) {
  return {
    /** Sealed snapshots with gaps, oldest first: what is endangered most comes first. `withGivenUp`: also those that were given up. */
    gapStates: async (tries: number, { withGivenUp }: { readonly withGivenUp: boolean } = { withGivenUp: false }): Promise<GapStates[]> =>
      (await engine.all<StatesRow>(states, { tries, givenUp: withGivenUp ? 1 : 0 })).map(([version, isGivenUp, isOpen, parked, final]) => ({
        ledgerVersion: BigInt(version),
        isGivenUp: isGivenUp === 1,
        open: isOpen,
        parked,
        final,
      })),
    /** A snapshot's accounts that are neither parked nor final, in the order of addresses. */
    openGaps: (version: bigint, tries: number): Promise<Address[]> => textsOf<Address>(engine, open, { version, tries }),
  };
}
