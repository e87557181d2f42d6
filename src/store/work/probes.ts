import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import type { AccountRecord } from "../../move/account-record.ts";
import type { Address } from "../../move/address.ts";
import { traceTables } from "../../schema/tables/trace.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { prepareChecksum } from "../connection/row-checksum.ts";
import type { ContentStore } from "../content/content.ts";
import { storableVersion } from "../snapshots/ledger-version.ts";
import type { Place } from "../snapshots/spans.ts";
import { placeAmongCovering, placeAmongSealed, standingAt } from "../snapshots/standing-at.ts";
import type { ObservedModule } from "../snapshots/visit-model.ts";

/** A change whose version is not known exactly: the old value stood at `after`, the new one at `atOrBefore`. */
export type OpenChange = {
  readonly address: Address;
  /** The module's name; undefined when it is the account's authentication key that changed. */
  readonly module: string | undefined;
  readonly after: bigint;
  readonly atOrBefore: bigint;
  /** SHA-256 of the bytecode, or the key, in hex; null when absent. */
  readonly from: string | null;
  readonly to: string | null;
};

/** Which open changes are wanted; what is left out does not restrict. A module's name leaves keys out. */
export type OpenChangeRequest = {
  readonly address?: Address | undefined;
  readonly module?: string | undefined;
  /** The old value stood at this version or later. */
  readonly from?: bigint | undefined;
  /** The new value stood at this version or before. */
  readonly to?: bigint | undefined;
};

/** Point reads between snapshots. They narrow down when something changed, and never touch what snapshots observed. */
export type ProbeStore = {
  /** Changes that are not exact, those whose left end is oldest first. */
  readonly openChanges: (request: OpenChangeRequest) => Promise<OpenChange[]>;
  /** Records what stood under one name at a version: a module, or null when there was none. */
  readonly commitModuleProbe: (address: Address, name: string, version: bigint, seen: ObservedModule | null) => Promise<void>;
  /**
   * Records a full listing at a version: of the modules sought, and of all that differ from the account's snapshot
   * before. What equals that snapshot and was not sought is left out.
   */
  readonly commitListingProbe: (
    address: Address,
    version: bigint,
    listing: readonly ObservedModule[],
    sought: readonly string[],
  ) => Promise<void>;
  /** Records an account's record at a version, or null when there was none. */
  readonly commitAccountProbe: (address: Address, version: bigint, record: AccountRecord | null) => Promise<void>;
  /**
   * Drops the probes of these modules (undefined: of the account's key) that lie between two observations of the value they
   * have themselves: no change is bounded by them. The two that bound each change stay, and so do all views.
   */
  readonly thinProbes: (address: Address, names: readonly (string | undefined)[]) => Promise<void>;
};

type Row = {
  readonly address: Address;
  readonly module: string | null;
  readonly after_version: bigint;
  readonly at_or_before_version: bigint;
  readonly from_value: string | null;
  readonly to_value: string | null;
};

const within =
  "is_exact = 0 AND (@address IS NULL OR address = @address) AND (@from IS NULL OR after_version >= @from) AND (@to IS NULL OR at_or_before_version <= @to)";

/** Prepares the keeping of probes on a connection. */
export function prepareProbes(database: Database, statements: HotStatements, content: ContentStore): Synchronous<ProbeStore> {
  // Prepared when asked for: a database opened to read may have the views of an older movedex.
  const openChanges = () =>
    database.prepare<[Record<"address" | "module", string | null> & Record<"from" | "to", bigint | null>], Row>(
      "SELECT * FROM (SELECT address, module, after_version, at_or_before_version, from_sha256 AS from_value, to_sha256 AS to_value FROM module_changes " +
        `WHERE ${within} AND (@module IS NULL OR module = @module) UNION ALL ` +
        `SELECT address, NULL, after_version, at_or_before_version, substr(from_key, 3), substr(to_key, 3) FROM key_rotations WHERE ${within} AND @module IS NULL) ` +
        "ORDER BY after_version, length(address), address, module",
    );
  const checkModule = prepareChecksum<[address: bigint, name: string, version: bigint]>(database, traceTables.module_probes);
  const checkAccount = prepareChecksum<[address: bigint, version: bigint]>(database, traceTables.account_probes);
  const insertModule = database.prepare<[bigint, string, bigint, bigint | null]>(
    "INSERT INTO module_probes (address_id, name, ledger_version, bytecode_id) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET bytecode_id = excluded.bytecode_id",
  );
  const addModule = (address: bigint, name: string, version: bigint, bytecode: bigint | null): void => {
    insertModule.run(address, name, storableVersion(version), bytecode);
    checkModule(address, name, version);
  };
  const addAccount = database.prepare<[bigint, bigint, string | null, Uint8Array | null]>(
    "INSERT INTO account_probes (address_id, ledger_version, sequence_number, authentication_key) VALUES (?, ?, ?, ?) " +
      "ON CONFLICT DO UPDATE SET sequence_number = excluded.sequence_number, authentication_key = excluded.authentication_key",
  );
  // Only accounts that snapshots cover are probed, so the address has its row.
  const idOf = (address: Address): bigint => statements.addressId.get(address) as bigint;

  const commitModuleProbe = (address: Address, name: string, version: bigint, seen: ObservedModule | null): void => {
    const id = idOf(address);
    addModule(id, name, version, seen === null ? null : content.intern(id, seen).id);
  };
  const commitListingProbe: Synchronous<ProbeStore>["commitListingProbe"] = (address, version, listing, sought) => {
    const id = idOf(address);
    const found = new Map(listing.map((module) => [module.name, content.intern(id, module).id]));
    const { previous } = placeAmongCovering(statements, id, placeAmongSealed(statements, version));
    const { modules } = standingAt(statements, id, previous);
    const differs = [...new Set([...found.keys(), ...modules.keys()])].filter((name) => found.get(name) !== modules.get(name));
    for (const name of new Set([...sought, ...differs])) addModule(id, name, version, found.get(name) ?? null);
  };
  const commitAccountProbe = (address: Address, version: bigint, record: AccountRecord | null): void => {
    const id = idOf(address);
    addAccount.run(id, storableVersion(version), record?.sequenceNumber.toString() ?? null, record?.authenticationKey ?? null);
    checkAccount(id, version);
  };

  const modulesProbed = database
    .prepare<[bigint, string], readonly [bigint, bigint | null]>(
      "SELECT ledger_version, bytecode_id FROM module_probes WHERE address_id = ? AND name = ? ORDER BY ledger_version",
    )
    .raw(true);
  const keysProbed = database
    .prepare<[bigint], readonly [bigint, Uint8Array | null]>(
      "SELECT ledger_version, authentication_key FROM account_probes WHERE address_id = ? ORDER BY ledger_version",
    )
    .raw(true);
  const dropModule = database.prepare<[bigint, string, bigint]>(
    "DELETE FROM module_probes WHERE address_id = ? AND name = ? AND ledger_version = ?",
  );
  const dropAccount = database.prepare<[bigint, bigint]>("DELETE FROM account_probes WHERE address_id = ? AND ledger_version = ?");
  const hexOf = (key: Uint8Array | null | undefined): string | null => (key ? formatHex(key) : null);
  const thinProbes: Synchronous<ProbeStore>["thinProbes"] = (address, names) => {
    const id = idOf(address);
    const covering = (version: bigint) => placeAmongCovering(statements, id, placeAmongSealed(statements, version));
    for (const name of names) {
      const valueAt = (version: bigint) => {
        const { modules, record } = standingAt(statements, id, version);
        return name === undefined ? hexOf(record?.authenticationKey) : (modules.get(name) ?? null);
      };
      const rows =
        name === undefined
          ? keysProbed.all(id).map(([version, key]) => ({ version, value: hexOf(key) }))
          : modulesProbed.all(id, name).map(([version, value]) => ({ version, value }));
      for (const version of redundantProbes(rows, covering, valueAt)) {
        if (name === undefined) dropAccount.run(id, version);
        else dropModule.run(id, name, version);
      }
    }
  };

  return {
    thinProbes: database.transaction(thinProbes).immediate,
    openChanges: ({ address, module, from, to }) =>
      openChanges()
        .all({ address: address ?? null, module: module ?? null, from: from ?? null, to: to ?? null })
        .map(toChange),
    commitModuleProbe: database.transaction(commitModuleProbe).immediate,
    commitListingProbe: database.transaction(commitListingProbe).immediate,
    commitAccountProbe: database.transaction(commitAccountProbe).immediate,
  };
}

type Observed = { readonly version: bigint; readonly value: bigint | string | null };

/** Versions of the probes (in rising order) whose neighbours on both sides, probes or snapshots, have the same value. */
function redundantProbes(
  probes: readonly Observed[],
  covering: (version: bigint) => Place,
  valueAt: (version: bigint) => Observed["value"],
): bigint[] {
  return probes.flatMap(({ version, value }, index) => {
    const { previous, next } = covering(version);
    const [before, after] = [probes[index - 1], probes[index + 1]];
    if (previous === undefined || next === undefined) return [];
    const left = before !== undefined && before.version > previous ? before.value : valueAt(previous);
    const right = after !== undefined && after.version < next ? after.value : valueAt(next);
    return left === value && right === value ? [version] : [];
  });
}

function toChange(row: Row): OpenChange {
  return {
    address: row.address,
    module: row.module ?? undefined,
    after: row.after_version,
    atOrBefore: row.at_or_before_version,
    from: row.from_value,
    to: row.to_value,
  };
}
