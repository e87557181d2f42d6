import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { each } from "../../schema/sql/words.ts";
import { type ChangesAmong, moduleChangeRows } from "../../schema/views/changes.ts";
import type { Engine, Integer } from "../engine/engine.ts";
import type { KeyRotation, ModuleChange } from "./changes.ts";

/** How much a module of an account has at a snapshot. */
export type ModuleCounts = { readonly functions: number; readonly entries: number; readonly views: number; readonly structs: number };

/** A module and another one that it refers to. */
export type Dependency = { readonly from: ModuleId; readonly to: ModuleId };

/** An account's record at a sealed snapshot. */
export type RecordAt = { readonly version: bigint; readonly sequenceNumber: string; readonly authenticationKey: string };

/** An account at a sealed snapshot: an answer about it (`read`), or why there is none. */
export type CoveragePoint = { readonly address: Address; readonly version: bigint; readonly reason: string | null };

/** A row of the list of targets. */
export type TargetRow = { readonly address: Address; readonly removedAt: string | null };

/** What the pages ask besides what commands ask: narrow questions over the public views. */
export type PageReads = {
  /** Counts of an account's modules at a sealed snapshot, by name; what was not decoded is left out. */
  readonly moduleCounts: (address: Address, version: bigint) => Promise<ReadonlyMap<string, ModuleCounts>>;
  /** What an account's modules refer to. */
  readonly dependenciesOf: (address: Address, version: bigint) => Promise<readonly Dependency[]>;
  /** What modules of other accounts refer to in this account. */
  readonly dependentsOf: (address: Address, version: bigint) => Promise<readonly Dependency[]>;
  /** Changes of an account's modules, or of one of them, the newest first, at most `limit`. */
  readonly changesOf: (account: { readonly address: Address; readonly module?: string }, limit: number) => Promise<readonly ModuleChange[]>;
  /** An account's new keys, the newest first. */
  readonly rotationsOf: (address: Address) => Promise<readonly KeyRotation[]>;
  /** An account's records, newest first, at most `limit`. */
  readonly recordsOf: (address: Address, limit: number) => Promise<readonly RecordAt[]>;
  /** Accounts that some snapshots have an answer about or a gap at, and all that are or were targets. */
  readonly accountsAround: (versions: readonly bigint[]) => Promise<readonly Address[]>;
  /** What sealed snapshots from one version to another have of some accounts. */
  readonly coverageOf: (
    accounts: readonly Address[],
    range: { readonly from: bigint; readonly to: bigint },
  ) => Promise<readonly CoveragePoint[]>;
  /** Which of some accounts' modules were inferred at versions that backfill was asked for. */
  readonly inferredOf: (accounts: readonly Address[]) => Promise<readonly CoveragePoint[]>;
  /** Those of some accounts that are on the list of targets, or were. */
  readonly targetsAmong: (accounts: readonly Address[]) => Promise<readonly TargetRow[]>;
};

const counts = sql`SELECT module, count(*) FILTER (WHERE visibility <> 'private' OR is_entry OR is_view), count(*) FILTER (WHERE is_entry),
  count(*) FILTER (WHERE is_view) FROM functions_at WHERE ledger_version = :version AND address = :address GROUP BY module`;
const structCounts = sql`SELECT module, count(*) FROM structs_at WHERE ledger_version = :version AND address = :address GROUP BY module`;
const dependencies = sql`SELECT address, module, other_address, other_module FROM dependencies_at
  WHERE ledger_version = :version AND address = :address ORDER BY module, other_address, other_module`;
const dependents = sql`SELECT address, module, other_address, other_module FROM dependencies_at
  WHERE ledger_version = :version AND other_address = :address AND address <> :address ORDER BY address, module, other_module`;
const changeColumns = sql`address, module, from_sha256, to_sha256, abi_changed, after_version, at_or_before_version, is_exact`;
const itsAccount = sql`(SELECT i.id FROM addresses i WHERE i.address = :address)`;
const changesSince = (
  among: ChangesAmong,
): Sql => sql`SELECT ${changeColumns} FROM (${moduleChangeRows({ ...among, after: sql`:since` })}) changes
  WHERE at_or_before_version > :since ORDER BY at_or_before_version DESC, module LIMIT CAST(:limit AS int)`;
const accountChanges = changesSince({ account: itsAccount });
const moduleChanges = changesSince({ account: itsAccount, module: sql`:module` });
const listingsBack = sql`SELECT s.from_version FROM listing_spans s WHERE s.address_id = ${itsAccount} ORDER BY s.from_version DESC
  LIMIT 1 OFFSET CAST(:back AS int)`;
const rotations = sql`SELECT from_key, to_key, after_version, at_or_before_version, is_exact FROM key_rotations
  WHERE address = :address ORDER BY at_or_before_version DESC`;
const records = sql`SELECT ledger_version, CAST(sequence_number AS text), authentication_key FROM accounts_at
  WHERE address = :address ORDER BY ledger_version DESC LIMIT CAST(:limit AS int)`;
const listedVersions = sql`(SELECT CAST(e.value AS bigint) FROM ${each(":versions::json", "e")})`;
const accountsAround = sql`SELECT address FROM covered_at WHERE ledger_version IN ${listedVersions}
  UNION SELECT address FROM gaps WHERE ledger_version IN ${listedVersions} UNION SELECT address FROM target_accounts`;
const listed = sql`(SELECT e.value FROM ${each(":accounts::json", "e")})`;
const covered = sql`SELECT address, ledger_version, NULL FROM covered_at
  WHERE ledger_version >= :from AND ledger_version <= :to AND address IN ${listed}
  UNION ALL SELECT address, ledger_version, reason FROM gaps WHERE ledger_version >= :from AND ledger_version <= :to AND address IN ${listed}`;
const inferred = sql`SELECT address, ledger_version, NULL FROM accounts_inferred WHERE address IN ${listed}`;
const targets = sql`SELECT address, removed_at FROM target_accounts WHERE address IN ${listed}`;

type ChangeRow = [
  address: string,
  module: string,
  from: string | null,
  to: string | null,
  abiChanged: Integer | null,
  after: Integer,
  atOrBefore: Integer,
  isExact: Integer,
];
type RotationRow = [from: string | null, to: string | null, after: Integer, atOrBefore: Integer, isExact: Integer];
type DependencyRow = [address: string, module: string, otherAddress: string, otherModule: string];
type CoverageRow = [address: string, version: Integer, reason: string | null];

/** Listings of an account that are compared first. */
const FIRST_LISTINGS = 4;

/** Prepares the pages' questions. */
export function preparePageReads(engine: Engine): PageReads {
  const edges = async (statement: typeof dependencies, values: { address: string; version: bigint }): Promise<Dependency[]> =>
    (await engine.all<DependencyRow>(statement, values)).map(([address, name, otherAddress, otherModule]) => ({
      from: { address: address as Address, name },
      to: { address: otherAddress as Address, name: otherModule },
    }));
  const points = (rows: readonly CoverageRow[]): CoveragePoint[] =>
    rows.map(([address, version, reason]) => ({ address: address as Address, version: BigInt(version), reason }));
  const list = (addresses: readonly Address[]) => ({ accounts: JSON.stringify(addresses) });
  return {
    moduleCounts: async (address, version) => {
      const functions = await engine.all<[string, Integer, Integer, Integer]>(counts, { address, version });
      const structs = new Map(
        (await engine.all<[string, Integer]>(structCounts, { address, version })).map(([name, n]) => [name, Number(n)]),
      );
      const names = new Set([...functions.map(([name]) => name), ...structs.keys()]);
      const byName = new Map(functions.map((row) => [row[0], row]));
      return new Map(
        [...names].map((name) => {
          const [, open = 0, entries = 0, views = 0] = byName.get(name) ?? [];
          return [name, { functions: Number(open), entries: Number(entries), views: Number(views), structs: structs.get(name) ?? 0 }];
        }),
      );
    },
    dependenciesOf: (address, version) => edges(dependencies, { address, version }),
    dependentsOf: (address, version) => edges(dependents, { address, version }),
    changesOf: async ({ address, module }, limit) => {
      // Each listing that is compared with the one before costs all of its modules: those of an account are taken from the newest on,
      // a few at first, until there are enough changes. One module's are few, whatever the account has.
      for (let back = module === undefined ? FIRST_LISTINGS : Number.POSITIVE_INFINITY; ; back *= 4) {
        const row = Number.isFinite(back) ? await engine.first<[Integer]>(listingsBack, { address, back }) : undefined;
        const values = { address, limit, since: row?.[0] ?? -1 };
        const rows = await engine.all<ChangeRow>(module === undefined ? accountChanges : moduleChanges, {
          ...values,
          module: module ?? null,
        });
        if (rows.length >= limit || row === undefined) return rows.map(toChange);
      }
    },
    rotationsOf: async (address) =>
      (await engine.all<RotationRow>(rotations, { address })).map(([from, to, after, atOrBefore, isExact]) => ({
        address,
        from,
        to,
        afterVersion: BigInt(after),
        atOrBeforeVersion: BigInt(atOrBefore),
        isExact: Number(isExact) === 1,
      })),
    recordsOf: async (address, limit) =>
      (await engine.all<[Integer, string, string]>(records, { address, limit })).map(([version, sequenceNumber, authenticationKey]) => ({
        version: BigInt(version),
        sequenceNumber,
        authenticationKey,
      })),
    accountsAround: async (versions) =>
      (await engine.all<[string]>(accountsAround, { versions: JSON.stringify(versions.map(String)) })).map(
        ([address]) => address as Address,
      ),
    coverageOf: async (addresses, { from, to }) => points(await engine.all<CoverageRow>(covered, { ...list(addresses), from, to })),
    inferredOf: async (addresses) => points(await engine.all<CoverageRow>(inferred, list(addresses))),
    targetsAmong: async (addresses) =>
      (await engine.all<[string, string | null]>(targets, list(addresses))).map(([address, removedAt]) => ({
        address: address as Address,
        removedAt,
      })),
  };
}

function toChange([address, module, from, to, abiChanged, after, atOrBefore, isExact]: ChangeRow): ModuleChange {
  return {
    address: address as Address,
    module,
    from,
    to,
    abiChanged: abiChanged === null ? null : Number(abiChanged) === 1,
    afterVersion: BigInt(after),
    atOrBeforeVersion: BigInt(atOrBefore),
    isExact: Number(isExact) === 1,
  };
}
