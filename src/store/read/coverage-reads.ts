import type { Address } from "../../move/address.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { each } from "../../schema/sql/words.ts";
import type { Engine, Integer } from "../engine/engine.ts";

/** An account at a sealed snapshot: an answer about it (`reason` is null), or why there is none. */
export type CoveragePoint = { readonly address: Address; readonly version: bigint; readonly reason: string | null };

/** How an account stands at a snapshot: a gap, not asked about, or read. In the order in which they want to be looked at. */
const states = ["gap", "out", "read"] as const;

/** An account of the coverage map; `removedAt` (milliseconds since 1970) when it was taken off the list of targets. */
export type MappedAccount = { readonly address: Address; readonly state: (typeof states)[number]; readonly removedAt: number | null };

/** What the coverage map asks. */
export type CoverageReads = {
  /**
   * Accounts that some sealed snapshots have an answer about or a gap at, and all that are or were targets: those with a gap at the
   * last of the versions first, then those that it was not asked about. A part of them, or one of them, and how many there are.
   */
  readonly mappedAccounts: (
    versions: readonly bigint[],
    part: { readonly account?: Address | undefined; readonly skip: number; readonly limit: number },
  ) => Promise<{ readonly accounts: readonly MappedAccount[]; readonly total: number }>;
  /** What sealed snapshots from one version to another have of some accounts. */
  readonly coverageOf: (
    accounts: readonly Address[],
    range: { readonly from: bigint; readonly to: bigint },
  ) => Promise<readonly CoveragePoint[]>;
  /** Which of some accounts' modules were inferred at versions that backfill was asked for. */
  readonly inferredOf: (accounts: readonly Address[]) => Promise<readonly CoveragePoint[]>;
};

const asked = sql`(SELECT CAST(e.value AS bigint) AS version FROM ${each(":versions::json", "e")})`;
// Of the tables themselves: the views spell each account out at every snapshot, which ten thousand accounts make seconds of.
const mapped = sql`WITH known AS (
    SELECT c.address_id AS id FROM ${asked} v JOIN coverage c ON ${holds("c", "v.version")}
    UNION SELECT m.address_id FROM misses m WHERE m.ledger_version IN ${asked} UNION SELECT t.address_id FROM targets t)
  SELECT a.address, CASE WHEN EXISTS (SELECT 1 FROM misses m WHERE m.ledger_version = :newest AND m.address_id = k.id) THEN 0
      WHEN EXISTS (SELECT 1 FROM coverage c WHERE c.address_id = k.id AND ${holds("c", ":newest")}) THEN 2 ELSE 1 END AS state,
    t.removed_at, count(*) OVER () FROM known k JOIN addresses a ON a.id = k.id LEFT JOIN targets t ON t.address_id = k.id
  WHERE :account::text IS NULL OR a.address = :account::text
  ORDER BY state, length(a.address), a.address LIMIT CAST(:limit AS int) OFFSET CAST(:skip AS int)`;
const listed = sql`(SELECT e.value FROM ${each(":accounts::json", "e")})`;
const covered = sql`SELECT address, ledger_version, NULL FROM covered_at
  WHERE ledger_version >= :from AND ledger_version <= :to AND address IN ${listed}
  UNION ALL SELECT address, ledger_version, reason FROM gaps WHERE ledger_version >= :from AND ledger_version <= :to AND address IN ${listed}`;
const inferred = sql`SELECT address, ledger_version, NULL FROM accounts_inferred WHERE address IN ${listed}`;

type MappedRow = [address: string, state: Integer, removedAt: number | null, total: Integer];
type CoverageRow = [address: string, version: Integer, reason: string | null];

/** Prepares the coverage map's questions. */
export function prepareCoverageReads(engine: Engine): CoverageReads {
  const points = (rows: readonly CoverageRow[]): CoveragePoint[] =>
    rows.map(([address, version, reason]) => ({ address: address as Address, version: BigInt(version), reason }));
  const list = (addresses: readonly Address[]) => ({ accounts: JSON.stringify(addresses) });
  return {
    mappedAccounts: async (versions, { account, skip, limit }) => {
      const values = { versions: JSON.stringify(versions.map(String)), newest: versions.at(-1) ?? -1n, account: account ?? null, limit };
      let rows = await engine.all<MappedRow>(mapped, { ...values, skip });
      if (rows.length === 0 && skip > 0) rows = await engine.all<MappedRow>(mapped, { ...values, skip: 0 });
      const accounts = rows.map(([address, state, removedAt]) => ({
        address: address as Address,
        state: states[Number(state)] as MappedAccount["state"],
        removedAt,
      }));
      return { accounts, total: Number(rows[0]?.[3] ?? 0) };
    },
    coverageOf: async (addresses, { from, to }) => points(await engine.all<CoverageRow>(covered, { ...list(addresses), from, to })),
    inferredOf: async (addresses) => points(await engine.all<CoverageRow>(inferred, list(addresses))),
  };
}
