import type { Engine, Integer, Session } from "../../engine/engine.ts";
import { countOf } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { greatest, least } from "../../schema/sql/functions.ts";
import { holds, moduleSpans, sealed } from "../../schema/sql/predicates.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import type { CoverageTable } from "../../schema/views/covered.ts";

/** A module that was seen, to be asked for again. */
export type ModuleObservation = {
  readonly version: bigint;
  readonly address: Address;
  readonly module: string;
  readonly sha256: Uint8Array;
};

/** An account record that was seen, to be asked for again. */
export type AccountObservation = {
  readonly version: bigint;
  readonly address: Address;
  readonly sequenceNumber: bigint;
  readonly authenticationKey: Uint8Array;
};

/** Selects observations at sealed versions from `readableFrom` to `readableTo`: at most `modules` modules and `accounts` accounts. */
export type SampleRequest = {
  readonly readableFrom: bigint;
  readonly readableTo: bigint;
  readonly modules: number;
  readonly accounts: number;
};

/** What a node said of its newest state beside version and time when a snapshot was pinned. */
export type PinnedHead = { readonly headVersion: bigint; readonly epoch: bigint; readonly blockHeight: bigint };

/** How many places of the database are looked at: each costs a few key look-ups. */
const PROBES = 64;

type ModuleRow = [version: Integer, address: Address, module: string, sha256: Uint8Array, isSpecial: 0 | 1, accounts: number];
type AccountRow = [version: Integer, address: Address, sequenceNumber: string, authenticationKey: Uint8Array];

// The newest sealed version inside both the window and a span, if the account is covered there: a span says nothing of
// snapshots that did not cover its account.
const versionIn = (
  table: CoverageTable,
): Sql => sql`(SELECT max(p.ledger_version) FROM _pins p WHERE ${sealed("p")} AND p.ledger_version BETWEEN ${greatest("s.from_version", ":from")}
  AND ${least(sql`coalesce(s.to_version, :to)`, ":to")}
  AND EXISTS (SELECT 1 FROM ${named(table)} c WHERE c.address_id = s.address_id AND ${holds("c", "p.ledger_version")}))`;
const version = versionIn("_coverage");
const recordVersion = versionIn("_record_coverage");
const largestBytecode = sql`SELECT max(id) FROM _bytecodes`;
const largestAddress = sql`SELECT max(id) FROM _addresses`;
const module = sql`SELECT ${version} AS version, a.address, s.name, b.sha256, CASE WHEN length(a.address) <= 3 THEN 1 ELSE 0 END,
  (SELECT count(*) FROM (SELECT DISTINCT l.address_id FROM _listing_modules o JOIN _listings l ON l.id = o.listing_id WHERE o.bytecode_id = b.id LIMIT 100) holders)
  FROM ${moduleSpans} s JOIN _bytecodes b ON b.id = s.bytecode_id JOIN _addresses a ON a.id = s.address_id
  WHERE s.bytecode_id = :id AND ${version} IS NOT NULL LIMIT 1`;
const account = sql`SELECT ${recordVersion} AS version, a.address, s.sequence_number, s.authentication_key FROM _account_spans s JOIN _addresses a ON a.id = s.address_id
  WHERE s.address_id = :id AND s.sequence_number <> '0' AND ${recordVersion} IS NOT NULL LIMIT 1`;

const pinnedHead = sql`SELECT head_version, head_epoch, head_block_height FROM _pins WHERE head_epoch IS NOT NULL AND head_block_height IS NOT NULL
  AND head_timestamp_usec <> '0' ORDER BY head_version DESC LIMIT 1`;

export function prepareChainFingerprint(engine: Engine) {
  return {
    /** The newest state of a node when the newest snapshot was pinned; undefined where that was not recorded. */
    newestPinnedHead: async (): Promise<PinnedHead | undefined> => {
      const row = await engine.first<[Integer, string, string]>(pinnedHead);
      return row === undefined ? undefined : { headVersion: BigInt(row[0]), epoch: BigInt(row[1]), blockHeight: BigInt(row[2]) };
    },
    /**
     * A few observations that a node can still read. Modules whose bytecode few accounts share come first, and framework
     * modules last, since another ledger may hold those too; accounts have sent a transaction, since fresh ones look alike.
     */
    sampleFingerprint: ({
      readableFrom,
      readableTo,
      modules,
      accounts,
    }: SampleRequest): Promise<{
      readonly modules: readonly ModuleObservation[];
      readonly accounts: readonly AccountObservation[];
    }> =>
      engine.transaction(
        async (tx) => {
          const window = { from: readableFrom, to: readableTo };
          const foundModules = await probe(tx, largestBytecode, (id) => tx.first<ModuleRow>(module, { ...window, id }));
          const foundAccounts = await probe(tx, largestAddress, (id) => tx.first<AccountRow>(account, { ...window, id }));
          return {
            modules: foundModules
              .sort((a, b) => a[4] - b[4] || a[5] - b[5] || Number(a[0]) - Number(b[0]))
              .slice(0, modules)
              .map(([at, address, name, sha256]) => ({ version: BigInt(at), address, module: name, sha256 })),
            accounts: foundAccounts.slice(0, accounts).map(([at, address, sequenceNumber, authenticationKey]) => ({
              version: BigInt(at),
              address,
              sequenceNumber: BigInt(sequenceNumber),
              authenticationKey,
            })),
          };
        },
        { mode: "read" },
      ),
  };
}

/** What is found at up to `PROBES` row numbers spread evenly from 1 to the largest. */
async function probe<T>(session: Session, largest: Sql, look: (id: number) => Promise<T | undefined>): Promise<T[]> {
  const last = await countOf(session, largest);
  const step = Math.floor(last / PROBES) + 1;
  const found: T[] = [];
  for (let id = last; id > 0; id -= step) {
    const row = await look(id);
    if (row !== undefined) found.push(row);
  }
  return found;
}
