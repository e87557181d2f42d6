import { type Bytecodes, bytecodeQueries } from "../../core/db/archive/content/bytecodes.ts";
import type { ObservedModule } from "../../core/db/archive/content/observed-module.ts";
import { modulesBefore } from "../../core/db/archive/snapshots/claims.ts";
import { storableVersion } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import { type ChangeBounds, changedAt, type MadeAt } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine, Integer, Transaction, Values } from "../../core/db/engine/engine.ts";
import { countOf, orNull, orUndefined, rowOf, text, version, whole } from "../../core/db/engine/row-shape.ts";
import { writeChecksum } from "../../core/db/schema/sql/checksum.ts";
import { contentTurn, jsonEach, jsonItem } from "../../core/db/schema/sql/functions.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { traceTables } from "../../core/db/schema/tables/time.ts";
import type { AccountRecord, Address } from "../../core/move/address.ts";
import { keyRotationRows, moduleChangeRows } from "../changes/views.ts";

const change = rowOf({
  address: text<Address>("address"),
  /** The module's name; undefined when it is the account's authentication key that changed. */
  module: orUndefined(text("module")),
  after: version("after_version"),
  atOrBefore: version("at_or_before_version"),
  /** SHA-256 of the bytecode, or the key, in hex; null when absent. */
  from: orNull(text("from_sha256")),
  to: orNull(text("to_sha256")),
  /** How early it is traced, the lowest first: those of `first`, then what was shown above `firstAbove`. */
  rank: whole("rank"),
});

/** A change whose version is not known exactly: the old value stood at `after`, the new one at `atOrBefore`. */
export type OpenChange = ReturnType<typeof change.read>;

/** Which open changes are wanted; what is left out does not restrict. A module's name leaves keys out. */
export type OpenChangeRequest = {
  readonly address?: Address;
  readonly module?: string;
  /** The old value stood at the one or later, the new one at the other or before. */
  readonly from?: bigint;
  readonly to?: bigint;
  /** Changes that meet the condition come before all others, then those above the version. */
  readonly first?: Sql;
  readonly firstAbove?: bigint;
};

const anyChange = { address: null, module: null, from: null, to: null, firstAbove: null };
const within = sql`NOT is_exact AND (:address::text IS NULL OR address = :address::text) AND (:from::version IS NULL OR after_version >= :from::version)
  AND (:to::version IS NULL OR at_or_before_version <= :to::version)`;
// By the text of the views, not through those of the file: a stranger's may be others.
const openChanges = (first = sql`FALSE`): Sql => sql`SELECT ${change.columns} FROM (SELECT c.*, CASE WHEN ${first} THEN 0
      WHEN :firstAbove::version IS NULL OR c.at_or_before_version > :firstAbove::version THEN 1 ELSE 2 END AS rank FROM (
    SELECT address, module, after_version, at_or_before_version, from_sha256, to_sha256 FROM (${moduleChangeRows()}) m
      WHERE ${within} AND (:module::text IS NULL OR module = :module::text)
    UNION ALL SELECT address, NULL, after_version, at_or_before_version, substr(from_key, 3), substr(to_key, 3) FROM (${keyRotationRows()}) k
      WHERE ${within} AND :module::text IS NULL
  ) c) changes ORDER BY rank, after_version, length(address), address, module NULLS FIRST`;
const changed = rowOf(changedAt("s.after_version", "s.at_or_before_version"));
const times = sql`SELECT ${changed.columns} FROM (SELECT j.key AS place, CAST(${jsonItem("j.value", 0)} AS bigint) AS after_version,
    CAST(${jsonItem("j.value", 1)} AS bigint) AS at_or_before_version FROM ${jsonEach(":bounds::json", "j")}) s ORDER BY s.place`;
// Only accounts that snapshots cover are probed, so the address has its row.
const addressId = sql<[Integer]>`SELECT id FROM _addresses WHERE address = :address`;
const modulesOf = sql`SELECT coalesce(${modulesBefore(sql`a.id`, sql`:version`)}, 0) FROM _addresses a WHERE a.address = :address`;
const addModule = sql`INSERT INTO _module_probes (address_id, name, ledger_version, bytecode_id, source)
  VALUES (:address_id, :name, :ledger_version, :bytecode::int, :source::text)
  ON CONFLICT (address_id, name, ledger_version) DO UPDATE SET bytecode_id = excluded.bytecode_id, source = excluded.source`;
const checkModule = writeChecksum(traceTables.module_probes);
const addAccount = sql`INSERT INTO _account_probes (address_id, ledger_version, sequence_number, authentication_key, source)
  VALUES (:address_id, :ledger_version, :sequence::u64, :key::bytes, :source::text) ON CONFLICT (address_id, ledger_version)
  DO UPDATE SET sequence_number = excluded.sequence_number, authentication_key = excluded.authentication_key, source = excluded.source`;
const checkAccount = writeChecksum(traceTables.account_probes);

/** Keeps what stood under a name at a version; `key` has the columns of the table's key. */
export async function keepModuleProbe(tx: Transaction, key: Values, bytecode: Integer | undefined, source: string | null): Promise<void> {
  await tx.run(addModule, { ...key, bytecode: bytecode ?? null, source });
  await tx.run(checkModule, key);
}

export async function keepAccountProbe(
  tx: Transaction,
  key: Values,
  record: { readonly sequenceNumber: bigint | string; readonly authenticationKey: Uint8Array } | null | undefined,
  source: string | null,
): Promise<void> {
  await tx.run(addAccount, { ...key, sequence: record?.sequenceNumber ?? null, key: record?.authenticationKey ?? null, source });
  await tx.run(checkAccount, key);
}

/** Point reads between snapshots, which narrow down changes. */
export function probeQueries(engine: Engine, { internAll }: Pick<Bytecodes, "internAll"> = bytecodeQueries(engine)) {
  const write = (address: Address, version: bigint, keep: (tx: Transaction, key: Values, id: Integer) => Promise<void>): Promise<void> =>
    engine.transaction(async (tx) => {
      await tx.all(contentTurn);
      const [id] = (await tx.first(addressId, { address })) as [Integer];
      await keep(tx, { address_id: id, ledger_version: storableVersion(version) }, id);
    });

  return {
    /** Changes that are not exact: by rank, then those whose left end is oldest first. */
    openChanges: ({ first, ...request }: OpenChangeRequest) => change.all(engine, openChanges(first), { ...anyChange, ...request }),
    /** Changes with the times at which they happened, in their order. */
    withTimes: async <Change extends ChangeBounds>(changes: readonly Change[]): Promise<(Change & MadeAt)[]> => {
      const bounds = changes.map(({ after, atOrBefore }) => [String(after), String(atOrBefore)]);
      const found = await changed.all(engine, times, { bounds: JSON.stringify(bounds) });
      return changes.map((one, i) => ({ ...one, ...(found[i] as MadeAt) }));
    },
    modulesBefore: (address: Address, version: bigint): Promise<number> => countOf(engine, modulesOf, { address, version }),
    /** Records what stood under names at a version: those of them that were seen, and for the others that nothing was there. */
    commitModuleProbes: (address: Address, version: bigint, names: readonly string[], seen: readonly ObservedModule[]) =>
      write(address, version, async (tx, key, id) => {
        const modules = seen.map((module) => ({ address: id, module }));
        const stored = await internAll(tx, modules);
        const ids = new Map(seen.map(({ name }, i) => [name, stored[i]?.id]));
        for (const name of names.toSorted()) await keepModuleProbe(tx, { ...key, name }, ids.get(name), null);
      }),
    /** Records an account's record at a version, or null when there was none. */
    commitAccountProbe: (address: Address, version: bigint, record: AccountRecord | null) =>
      write(address, version, (tx, key) => keepAccountProbe(tx, key, record, null)),
  };
}
