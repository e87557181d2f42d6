import type { Address } from "../../move/address.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { each } from "../../schema/sql/words.ts";
import type { Engine, Integer } from "../engine/engine.ts";

/** What sealed snapshots have of one target. */
export type TargetHistory = {
  /** The account's row; `addressesOf` gives its address. */
  readonly account: Integer;
  /** The oldest and the newest snapshot that cover it; undefined when none does. */
  readonly covered: { readonly first: bigint; readonly newest: bigint } | undefined;
  /** The newest snapshot that has its record; undefined when none has. */
  readonly recordNewest: bigint | undefined;
  /** Modules at the newest snapshot that covers it. */
  readonly modules: number;
  /** Whether it had a module in any snapshot. */
  readonly hadModules: boolean;
};

/** Two snapshots of a target, one after the other among those that cover it, between which something changed. */
export type ChangedBetween = { readonly account: Integer; readonly after: bigint; readonly atOrBefore: bigint };

/** How often targets were read and how often they changed, each a question for all of them, in the order of their rows. */
export type TargetHistoryStore = {
  readonly targetHistories: () => AsyncIterable<readonly TargetHistory[]>;
  /** Changes of the list of modules or of a module. */
  readonly targetCodeChanges: () => AsyncIterable<readonly ChangedBetween[]>;
  /** Changes of an authentication key. A record that came or went is none. */
  readonly targetKeyRotations: () => AsyncIterable<readonly ChangedBetween[]>;
  /** The addresses of rows, in their order. */
  readonly addressesOf: (accounts: readonly Integer[]) => Promise<Address[]>;
};

type HistoryRow = [
  account: Integer,
  first: Integer | null,
  newest: Integer | null,
  modules: number | null,
  hadModules: number,
  recordNewest: Integer | null,
];
type ChangeRow = [account: Integer, after: Integer, atOrBefore: Integer];

const PAGE = 1000;

// A stretch without an end reaches to the newest snapshot, and what stands without an end stands at the newest that covers the account.
const histories = sql`SELECT h.address_id, h.first, h.newest,
    (SELECT l.modules FROM listing_spans s JOIN listings l ON l.id = s.listing_id WHERE s.address_id = h.address_id AND s.to_version IS NULL),
    CASE WHEN EXISTS (SELECT 1 FROM listing_spans s JOIN listings l ON l.id = s.listing_id WHERE s.address_id = h.address_id AND l.modules > 0) THEN 1 ELSE 0 END,
    (SELECT coalesce(k.to_version, (SELECT max(p.ledger_version) FROM pins p WHERE ${sealed("p")})) FROM record_coverage k
      WHERE k.address_id = h.address_id ORDER BY k.from_version DESC LIMIT 1)
  FROM (SELECT t.address_id, min(c.from_version) AS first,
      max(CASE WHEN c.address_id IS NULL THEN NULL ELSE coalesce(c.to_version, (SELECT max(p.ledger_version) FROM pins p WHERE ${sealed("p")})) END) AS newest
    FROM targets t LEFT JOIN coverage c ON c.address_id = t.address_id WHERE t.removed_at IS NULL GROUP BY t.address_id) h ORDER BY h.address_id`;
// What stood ends at the last snapshot that shows it, and the next begins at the first that covers the account after: the two are neighbours.
const code = sql`SELECT g.address_id, g.after_version, g.from_version FROM (
    SELECT s.address_id, s.from_version, lag(s.to_version) OVER (PARTITION BY s.address_id ORDER BY s.from_version) AS after_version FROM listing_spans s) g
  JOIN targets t ON t.address_id = g.address_id AND t.removed_at IS NULL WHERE g.after_version IS NOT NULL ORDER BY g.address_id, g.from_version`;
const keys = sql`SELECT g.address_id, g.after_version, g.from_version FROM (
    SELECT r.address_id, r.from_version, r.authentication_key, lag(r.to_version) OVER w AS after_version, lag(r.authentication_key) OVER w AS key_before
    FROM account_spans r WINDOW w AS (PARTITION BY r.address_id ORDER BY r.from_version)) g
  JOIN targets t ON t.address_id = g.address_id AND t.removed_at IS NULL
  WHERE g.after_version IS NOT NULL AND g.authentication_key <> g.key_before ORDER BY g.address_id, g.from_version`;
const addresses = sql`SELECT a.address FROM ${each(":accounts::json", "j")} JOIN addresses a ON a.id = CAST(j.value AS bigint) ORDER BY j.key`;

/** Prepares the questions about what targets were seen to do. */
export function prepareTargetHistories(engine: Engine): TargetHistoryStore {
  async function* changes(select: typeof code): AsyncGenerator<ChangedBetween[]> {
    for await (const rows of engine.stream<ChangeRow>(select))
      yield rows.map(([account, after, atOrBefore]) => ({ account, after: BigInt(after), atOrBefore: BigInt(atOrBefore) }));
  }

  return {
    targetHistories: async function* () {
      for await (const rows of engine.stream<HistoryRow>(histories)) yield rows.map(toHistory);
    },
    targetCodeChanges: () => changes(code),
    targetKeyRotations: () => changes(keys),
    addressesOf: async (accounts) => {
      const found: Address[] = [];
      for (let start = 0; start < accounts.length; start += PAGE) {
        const page = JSON.stringify(accounts.slice(start, start + PAGE).map(Number));
        for (const [address] of await engine.all<[Address]>(addresses, { accounts: page })) found.push(address);
      }
      return found;
    },
  };
}

function toHistory([account, first, newest, modules, hadModules, recordNewest]: HistoryRow): TargetHistory {
  const covered = first === null || newest === null ? undefined : { first: BigInt(first), newest: BigInt(newest) };
  return {
    account,
    covered,
    recordNewest: recordNewest === null ? undefined : BigInt(recordNewest),
    modules: modules ?? 0,
    hadModules: hadModules === 1,
  };
}
