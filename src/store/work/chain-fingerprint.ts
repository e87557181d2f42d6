import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import { MODULE_SPANS } from "../../schema/sql/spans.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

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

/** Which observations are wanted: at sealed versions from `readableFrom` to `readableTo`, at most `modules` modules and `accounts` accounts. */
export type SampleRequest = {
  readonly readableFrom: bigint;
  readonly readableTo: bigint;
  readonly modules: number;
  readonly accounts: number;
};

/** Stored observations that tell one ledger from another. */
export type ChainFingerprintStore = {
  /**
   * A few observations that a node can still read. Modules whose bytecode few accounts share come first, and framework
   * modules last, since another ledger may hold those too; accounts have sent a transaction, since fresh ones look alike.
   */
  readonly sampleFingerprint: (request: SampleRequest) => Promise<{
    readonly modules: readonly ModuleObservation[];
    readonly accounts: readonly AccountObservation[];
  }>;
};

/** How many places of the database are looked at: each costs a few key look-ups. */
const PROBES = 64;

type Window = { readonly from: bigint; readonly to: bigint };
type ModuleProbe = { version: bigint; address: Address; module: string; sha256: Uint8Array; spans: bigint; is_special: bigint };
type AccountProbe = { version: bigint; address: Address; sequence_number: string; authentication_key: Uint8Array };

// The newest sealed version inside both the window and a span, if the account is covered there: a span says nothing of
// snapshots that did not cover its account.
const version =
  "(SELECT max(p.ledger_version) FROM pins p WHERE p.status IN ('sealed', 'sealed_with_gaps') AND p.ledger_version BETWEEN max(s.from_version, @from) " +
  "AND min(coalesce(s.to_version, @to), @to) AND EXISTS (SELECT 1 FROM coverage c WHERE c.address_id = s.address_id " +
  "AND c.from_version <= p.ledger_version AND (c.to_version IS NULL OR c.to_version >= p.ledger_version)))";

/** Prepares the sampling of observations on a connection. */
export function prepareChainFingerprint(database: Database): Synchronous<ChainFingerprintStore> {
  const largest = (table: string) => database.prepare<[], bigint | null>(`SELECT max(id) FROM ${table}`).pluck();
  const bytecodes = largest("bytecodes");
  const addresses = largest("addresses");
  const module = database.prepare<[Window & { id: bigint }], ModuleProbe>(
    `SELECT ${version} AS version, a.address, s.name AS module, b.sha256, length(a.address) <= 3 AS is_special, ` +
      "(SELECT count(*) FROM (SELECT DISTINCT l.address_id FROM listing_modules o JOIN listings l ON l.id = o.listing_id WHERE o.bytecode_id = b.id LIMIT 100)) AS spans " +
      `FROM ${MODULE_SPANS} s JOIN bytecodes b ON b.id = s.bytecode_id JOIN addresses a ON a.id = s.address_id WHERE s.bytecode_id = @id AND ${version} IS NOT NULL LIMIT 1`,
  );
  const account = database.prepare<[Window & { id: bigint }], AccountProbe>(
    `SELECT ${version} AS version, a.address, s.sequence_number, s.authentication_key FROM account_spans s JOIN addresses a ON a.id = s.address_id ` +
      `WHERE s.address_id = @id AND s.sequence_number <> '0' AND ${version} IS NOT NULL LIMIT 1`,
  );

  return {
    sampleFingerprint: ({ readableFrom, readableTo, modules, accounts }) => {
      const window = { from: readableFrom, to: readableTo };
      return {
        modules: probe(bytecodes.get(), (id) => module.get({ ...window, id }))
          .sort((a, b) => Number(a.is_special - b.is_special) || Number(a.spans - b.spans) || Number(a.version - b.version))
          .slice(0, modules)
          .map((found) => ({ version: found.version, address: found.address, module: found.module, sha256: found.sha256 })),
        accounts: probe(addresses.get(), (id) => account.get({ ...window, id }))
          .slice(0, accounts)
          .map((found) => ({
            version: found.version,
            address: found.address,
            sequenceNumber: BigInt(found.sequence_number),
            authenticationKey: found.authentication_key,
          })),
      };
    },
  };
}

/** What is found at up to `PROBES` row numbers spread evenly from 1 to the largest. */
function probe<T>(largest: bigint | null | undefined, look: (id: bigint) => T | undefined): T[] {
  const last = largest ?? 0n;
  const step = last / BigInt(PROBES) + 1n;
  const found: T[] = [];
  for (let id = last; id > 0n; id -= step) {
    const row = look(id);
    if (row !== undefined) found.push(row);
  }
  return found;
}
