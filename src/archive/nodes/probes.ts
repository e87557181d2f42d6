import { formatHex } from "../../base/hex.ts";
import type { Engine, Integer, Transaction, Values } from "../../engine/engine.ts";
import { assertHeld, type Lease } from "../../engine/leases/leases.ts";
import { orNull, orUndefined, shapeOf, text, version } from "../../engine/shape.ts";
import type { AccountRecord } from "../../move/account-record.ts";
import type { Address } from "../../move/address.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { hexOf } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { traceTables } from "../../schema/tables/trace.ts";
import type { CoverageTable } from "../../schema/views/covered.ts";
import type { Bytecodes } from "../content/bytecodes.ts";
import type { ObservedModule } from "../content/visit-model.ts";
import { type AccountState, accountStateAt, neighboursOf } from "../snapshots/covering.ts";
import { storableVersion } from "../snapshots/pins.ts";

const change = shapeOf({
  address: text<Address>("address"),
  /** The module's name; undefined when it is the account's authentication key that changed. */
  module: orUndefined(text("module")),
  after: version("after_version"),
  atOrBefore: version("at_or_before_version"),
  /** SHA-256 of the bytecode, or the key, in hex; null when absent. */
  from: orNull(text("from_sha256")),
  to: orNull(text("to_sha256")),
});

/** A change whose version is not known exactly: the old value stood at `after`, the new one at `atOrBefore`. */
export type OpenChange = ReturnType<typeof change.read>;

/** An interval between two snapshots of an account, and the modules that are meant; its key has no name. */
export type ChangeInterval = Pick<OpenChange, "address" | "after" | "atOrBefore"> & { readonly modules: readonly (string | undefined)[] };

/** Which open changes are wanted; what is left out does not restrict. A module's name leaves keys out. */
export type OpenChangeRequest = {
  readonly address?: Address | undefined;
  readonly module?: string | undefined;
  /** The old value stood at this version or later. */
  readonly from?: bigint | undefined;
  /** The new value stood at this version or before. */
  readonly to?: bigint | undefined;
};

const within = sql`(NOT is_exact OR :exact) AND (:address::text IS NULL OR address = :address::text) AND (:from::version IS NULL OR after_version >= :from::version)
  AND (:to::version IS NULL OR at_or_before_version <= :to::version)`;
const openChanges = sql`SELECT ${change.columns} FROM (
    SELECT address, module, after_version, at_or_before_version, from_sha256, to_sha256 FROM module_changes
      WHERE ${within} AND (:module::text IS NULL OR module = :module::text)
    UNION ALL SELECT address, NULL, after_version, at_or_before_version, substr(from_key, 3), substr(to_key, 3) FROM key_rotations
      WHERE ${within} AND :module::text IS NULL
  ) changes ORDER BY after_version, length(address), address, module NULLS FIRST`;
// Only accounts that snapshots cover are probed, so the address has its row.
const addressId = sql`SELECT id FROM _addresses WHERE address = :address`;
const addModule = sql`INSERT INTO _module_probes (address_id, name, ledger_version, bytecode_id, source)
  VALUES (:address_id, :name, :ledger_version, :bytecode::int, :source::text)
  ON CONFLICT (address_id, name, ledger_version) DO UPDATE SET bytecode_id = excluded.bytecode_id, source = excluded.source`;
const checkModule = writeChecksum(traceTables.module_probes);
const addAccount = sql`INSERT INTO _account_probes (address_id, ledger_version, sequence_number, authentication_key, source)
  VALUES (:address_id, :ledger_version, :sequence::u64, :key::bytes, :source::text) ON CONFLICT (address_id, ledger_version)
  DO UPDATE SET sequence_number = excluded.sequence_number, authentication_key = excluded.authentication_key, source = excluded.source`;
const checkAccount = writeChecksum(traceTables.account_probes);
const modulesProbed = sql`SELECT ledger_version, bytecode_id FROM _module_probes WHERE address_id = :address AND name = :name ORDER BY ledger_version`;
const keysProbed = sql`SELECT ledger_version, ${hexOf("authentication_key")} FROM _account_probes WHERE address_id = :address ORDER BY ledger_version`;
const dropModule = sql`DELETE FROM _module_probes WHERE address_id = :address AND name = :name AND ledger_version = :version`;
const dropAccount = sql`DELETE FROM _account_probes WHERE address_id = :address AND ledger_version = :version`;

/** Who answered a point read: an archive node, null for the crawled node; and the lease that guards a shared search. */
type ProbedBy = readonly [source?: string | null, lease?: Lease | undefined];

/** Point reads between snapshots, which narrow down when something changed and never touch what snapshots observed. */
export function prepareProbes(engine: Engine, { internAll }: Bytecodes) {
  const idOf = async (tx: Transaction, address: Address) => (await tx.first<[Integer]>(addressId, { address }))?.[0] as Integer;
  /** Writes what was read at an account, while the lease is this process's. @throws StoreError `MOVEDEX_STORE_FENCED` */
  const write = (address: Address, lease: Lease | undefined, work: (tx: Transaction, id: Integer) => Promise<void>): Promise<void> =>
    engine.transaction(async (tx) => {
      if (lease !== undefined) await assertHeld(tx, lease);
      await work(tx, await idOf(tx, address));
    });
  const keepModule = async (tx: Transaction, key: Values, bytecode: Integer | undefined, source: string | null): Promise<void> => {
    await tx.run(addModule, { ...key, bytecode: bytecode ?? null, source });
    await tx.run(checkModule, key);
  };

  return {
    /** Changes that are not exact, those whose left end is oldest first. */
    openChanges: ({ address, module, from, to }: OpenChangeRequest): Promise<OpenChange[]> =>
      change.all(engine, openChanges, {
        address: address ?? null,
        module: module ?? null,
        from: from ?? null,
        to: to ?? null,
        exact: false,
      }),
    /** All changes known between two versions in some modules of an account (undefined: of its key), exact or not, oldest first. */
    changesBetween: async ({ address, after, atOrBefore, modules }: ChangeInterval): Promise<OpenChange[]> => {
      const changes = await change.all(engine, openChanges, { address, module: null, from: after, to: atOrBefore, exact: true });
      return changes.filter(({ module }) => modules.includes(module));
    },
    /** Records what stood under one name at a version: a module, or null when there was none. */
    commitModuleProbe: (address: Address, name: string, version: bigint, seen: ObservedModule | null, ...by: ProbedBy): Promise<void> => {
      const [source = null, lease] = by;
      return write(address, lease, async (tx, id) => {
        const [stored] = seen === null ? [] : await internAll(tx, [{ address: id, module: seen }]);
        await keepModule(tx, { address_id: id, name, ledger_version: storableVersion(version) }, stored?.id, source);
      });
    },
    /** Records a full listing: the modules sought, and every module that differs from the account's snapshot before. */
    commitListingProbe: (
      address: Address,
      version: bigint,
      listing: readonly ObservedModule[],
      sought: readonly string[],
      ...[source = null, lease]: ProbedBy
    ): Promise<void> =>
      write(address, lease, async (tx, id) => {
        const seen = listing.map((module) => ({ address: id, module }));
        const stored = await internAll(tx, seen);
        const found = new Map(listing.map(({ name }, i) => [name, stored[i]?.id]));
        const { previous } = await neighboursOf(tx, id, version);
        const { modules } = await accountStateAt(tx, id, previous);
        const differs = [...new Set([...found.keys(), ...modules.keys()])].filter((name) => found.get(name) !== modules.get(name));
        const key = { address_id: id, ledger_version: storableVersion(version) };
        for (const name of [...new Set([...sought, ...differs])].sort()) await keepModule(tx, { ...key, name }, found.get(name), source);
      }),
    /** Records an account's record at a version, or null when there was none. */
    commitAccountProbe: (address: Address, version: bigint, record: AccountRecord | null, ...by: ProbedBy): Promise<void> => {
      const [source = null, lease] = by;
      return write(address, lease, async (tx, id) => {
        const key = { address_id: id, ledger_version: storableVersion(version) };
        await tx.run(addAccount, { ...key, sequence: record?.sequenceNumber ?? null, key: record?.authenticationKey ?? null, source });
        await tx.run(checkAccount, key);
      });
    },
    /**
     * Drops the probes of these modules (undefined: of the account's key) between the same two snapshots as `near` that bound no
     * change, since the observations on both sides have their value. Views stay the same.
     */
    thinProbes: (address: Address, names: readonly (string | undefined)[], near: bigint): Promise<void> =>
      engine.transaction(async (tx) => {
        const id = await idOf(tx, address);
        // In one order, so that of two that thin at once none waits for the other.
        const ends = await endsOf(tx, id, near, names.includes(undefined) ? "_record_coverage" : "_coverage");
        for (const name of [...names].sort()) {
          const [probed, drop] = name === undefined ? [keysProbed, dropAccount] : [modulesProbed, dropModule];
          const key: Values = name === undefined ? { address: id } : { address: id, name };
          const rows = await tx.all<[Integer, Integer | string | null]>(probed, key);
          const probes = rows.map(([version, value]) => ({ version: BigInt(version), value }));
          for (const version of redundantProbes(ends, name, probes)) await tx.run(drop, { ...key, version });
        }
      }),
  };
}

type Observed = { readonly version: bigint; readonly value: Integer | string | null };

/** The snapshots on both sides of a version, and what stands there; undefined where one is missing. */
type Ends = { readonly from: bigint; readonly to: bigint; readonly before: AccountState; readonly after: AccountState } | undefined;

async function endsOf(tx: Transaction, address: Integer, near: bigint, table: CoverageTable): Promise<Ends> {
  const { previous: from, next: to } = await neighboursOf(tx, address, near, table);
  if (from === undefined || to === undefined) return undefined;
  return { from, to, before: await accountStateAt(tx, address, from), after: await accountStateAt(tx, address, to) };
}

/** The probes between two snapshots whose neighbours (probes or these snapshots) have the same value on both sides. */
function redundantProbes(ends: Ends, name: string | undefined, all: readonly Observed[]): bigint[] {
  if (ends === undefined) return [];
  const valueIn = ({ modules, record }: AccountState): Observed["value"] => {
    if (name !== undefined) return modules.get(name) ?? null;
    return record === undefined ? null : formatHex(record.authenticationKey);
  };
  const probes = all.filter(({ version }) => ends.from < version && version < ends.to);
  const values = [valueIn(ends.before), ...probes.map(({ value }) => value), valueIn(ends.after)];
  return probes.flatMap(({ version, value }, index) => (values[index] === value && values[index + 2] === value ? [version] : []));
}
