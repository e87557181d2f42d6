import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

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

type StatesRow = Record<"ledger_version" | "open" | "parked" | "final", bigint>;

/** Prepares the questions about gaps on a connection. */
export function prepareOpenGaps(database: Database): Synchronous<OpenGapStore> {
  const states = database.prepare<[{ tries: number }], StatesRow>(
    "SELECT m.ledger_version, sum(m.is_final = 0 AND m.attempts < @tries) AS open, sum(m.is_final = 0 AND m.attempts >= @tries) AS parked, " +
      "sum(m.is_final) AS final FROM misses m JOIN pins p ON p.ledger_version = m.ledger_version WHERE p.status = 'sealed_with_gaps' " +
      "GROUP BY m.ledger_version ORDER BY m.ledger_version",
  );
  const open = database
    .prepare<[bigint, number], Address>(
      "SELECT a.address FROM misses m JOIN addresses a ON a.id = m.address_id WHERE m.ledger_version = ? AND m.is_final = 0 AND m.attempts < ? " +
        "ORDER BY length(a.address), a.address",
    )
    .pluck();
  return {
    gapStates: (tries) =>
      states.all({ tries }).map((row) => ({
        ledgerVersion: row.ledger_version,
        open: Number(row.open),
        parked: Number(row.parked),
        final: Number(row.final),
      })),
    openGaps: (version, tries) => open.all(version, tries),
  };
}
