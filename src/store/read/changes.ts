import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

/** A stretch of snapshots: those above one version, up to another. */
export type VersionRange = { readonly after: bigint; readonly upTo: bigint };

/** When something changed, as exactly as is known. */
type Bounds = { readonly afterVersion: bigint; readonly atOrBeforeVersion: bigint; readonly isExact: boolean };

/** A module that was added (`from` is null), removed (`to` is null) or changed. SHA-256 as 64 hex digits. */
export type ModuleChange = Bounds & {
  readonly address: Address;
  readonly module: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Whether the ABI as the node prints it changed; null when one of the two cannot be decoded. */
  readonly abiChanged: boolean | null;
};

/** A new authentication key of an account. Keys as 0x and hex, null where there was no record. */
export type KeyRotation = Bounds & { readonly address: Address; readonly from: string | null; readonly to: string | null };

/**
 * An account that is new to the database. `isFirstRead`: no snapshot before had looked at it, so it may be as old as the
 * ledger; otherwise it had been looked at, and had neither record nor module.
 */
export type NewAccount = {
  readonly address: Address;
  /** The first snapshot that shows it. */
  readonly ledgerVersion: bigint;
  readonly isFirstRead: boolean;
};

/** What snapshots show that those before did not. All lists are in the order of addresses, read as they are walked. */
export type ChangeStore = {
  readonly moduleChanges: (stretch: VersionRange) => AsyncIterable<ModuleChange>;
  readonly keyRotations: (stretch: VersionRange) => AsyncIterable<KeyRotation>;
  readonly newAccounts: (stretch: VersionRange) => AsyncIterable<NewAccount>;
};

type BoundsRow = { readonly after_version: bigint; readonly at_or_before_version: bigint; readonly is_exact: bigint };
type ModuleRow = BoundsRow &
  Pick<ModuleChange, "address" | "module"> &
  Record<"from_sha256" | "to_sha256", string | null> & { readonly abi_changed: bigint | null };
type KeyRow = BoundsRow & { readonly address: Address } & Record<"from_key" | "to_key", string | null>;
type NewRow = { readonly address: Address; readonly ledger_version: bigint; readonly is_first_read: bigint };

const within = "ledger_version > ? AND ledger_version <= ?";
const inOrder = "ORDER BY length(address), address";

/** Prepares the questions on a connection. */
export function prepareChanges(database: Database): Synchronous<ChangeStore> {
  // Prepared when it is asked: these are large views, and every command would pay for them.
  const ask = <Row, Answer>(sql: string, read: (row: Row) => Answer) =>
    function* ({ after, upTo }: VersionRange): Generator<Answer> {
      for (const row of database.prepare<[bigint, bigint], Row>(sql).iterate(after, upTo)) yield read(row);
    };
  const firstSeen =
    "SELECT a.address, min(s.from_version) AS ledger_version, (SELECT min(c.from_version) FROM coverage c WHERE c.address_id = a.id) = min(s.from_version) AS is_first_read " +
    "FROM (SELECT address_id, from_version FROM account_spans UNION ALL SELECT o.address_id, o.from_version FROM listing_spans o JOIN listings l ON l.id = o.listing_id WHERE l.modules > 0) s JOIN addresses a ON a.id = s.address_id GROUP BY a.id";
  return {
    moduleChanges: ask(
      `SELECT address, module, from_sha256, to_sha256, after_version, at_or_before_version, is_exact, abi_changed FROM module_changes WHERE ${within} ${inOrder}, module, at_or_before_version`,
      (row: ModuleRow) => ({
        address: row.address,
        module: row.module,
        from: row.from_sha256,
        to: row.to_sha256,
        abiChanged: row.abi_changed === null ? null : row.abi_changed === 1n,
        ...toBounds(row),
      }),
    ),
    keyRotations: ask(
      `SELECT address, from_key, to_key, after_version, at_or_before_version, is_exact FROM key_rotations WHERE ${within} ${inOrder}, at_or_before_version`,
      (row: KeyRow) => ({ address: row.address, from: row.from_key, to: row.to_key, ...toBounds(row) }),
    ),
    newAccounts: ask(`SELECT * FROM (${firstSeen}) WHERE ${within} ${inOrder}`, (row: NewRow) => ({
      address: row.address,
      ledgerVersion: row.ledger_version,
      isFirstRead: row.is_first_read === 1n,
    })),
  };
}

function toBounds(row: BoundsRow): Bounds {
  return { afterVersion: row.after_version, atOrBeforeVersion: row.at_or_before_version, isExact: row.is_exact === 1n };
}
