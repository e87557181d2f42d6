import type { Engine, Integer } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { sql } from "../../schema/sql/sql.ts";

/** A sealed snapshot's gaps, counted by what is to become of them. */
export type GapStates = {
  readonly ledgerVersion: bigint;
  /** Will be tried again while a node can read the version. */
  readonly open: number;
  /** Tried often enough; left as they are. */
  readonly parked: number;
  /** The version was pruned before the account was read: trying again cannot help. */
  readonly final: number;
};

/** Which gaps of sealed snapshots are worth another try. `tries` is how often an account is tried, all runs together. */
export type OpenGapStore = {
  /** Snapshots with gaps, oldest first: what is endangered most comes first. */
  readonly gapStates: (tries: number) => Promise<GapStates[]>;
  /** A snapshot's accounts that are neither parked nor final, in the order of addresses. */
  readonly openGaps: (ledgerVersion: bigint, tries: number) => Promise<Address[]>;
};

const states = sql`SELECT m.ledger_version, count(*) FILTER (WHERE NOT m.is_final AND m.attempts < :tries),
  count(*) FILTER (WHERE NOT m.is_final AND m.attempts >= :tries), count(*) FILTER (WHERE m.is_final)
  FROM _misses m JOIN _pins p ON p.ledger_version = m.ledger_version WHERE p.status = 'sealed_with_gaps' GROUP BY m.ledger_version ORDER BY m.ledger_version`;
const open = sql`SELECT a.address FROM _misses m JOIN _addresses a ON a.id = m.address_id
  WHERE m.ledger_version = :version AND NOT m.is_final AND m.attempts < :tries ORDER BY length(a.address), a.address`;

/** Prepares the questions about gaps. */
export function prepareOpenGaps(engine: Engine): OpenGapStore {
  return {
    gapStates: async (tries) =>
      (await engine.all<[Integer, number, number, number]>(states, { tries })).map(([version, isOpen, parked, final]) => ({
        ledgerVersion: BigInt(version),
        open: isOpen,
        parked,
        final,
      })),
    openGaps: async (version, tries) => (await engine.all<[Address]>(open, { version, tries })).map(([address]) => address),
  };
}
