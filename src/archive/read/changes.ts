import type { Engine, Integer, Row } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { keyRotationRows, moduleChangeRows } from "../../schema/views/changes.ts";
import { changedAt, type MadeAt, type MadeAtCells, toMadeAt } from "../times/made-at.ts";

/** A stretch of snapshots: those above one version, up to another. */
export type VersionRange = { readonly after: bigint; readonly upTo: bigint };

/** When something changed, as exactly as is known. */
type Bounds = { readonly afterVersion: bigint; readonly atOrBeforeVersion: bigint; readonly isExact: boolean } & MadeAt;

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
  /** Module changes as one list, by a statement that stays prepared: pages ask for a few nights, again and again. */
  readonly listModuleChanges: (stretch: VersionRange) => Promise<readonly ModuleChange[]>;
};

type BoundsRow = [after: Integer, atOrBefore: Integer, isExact: 0 | 1, ...MadeAtCells];
type ModuleRow = [...BoundsRow, address: Address, module: string, from: string | null, to: string | null, abiChanged: 0 | 1 | null];
type KeyRow = [...BoundsRow, address: Address, from: string | null, to: string | null];
type NewRow = [address: Address, version: Integer, isFirstRead: 0 | 1];

const bounds = (rows: "changes" | "rotations"): Sql =>
  sql`after_version, at_or_before_version, is_exact, ${changedAt(`${rows}.after_version`, `${rows}.at_or_before_version`)}`;
const within = sql`ledger_version > :after AND ledger_version <= :upTo`;
const stretch = { after: sql`:after`, upTo: sql`:upTo` };
const inOrder = sql`ORDER BY length(address), address`;
const modules = sql`SELECT ${bounds("changes")}, address, module, from_sha256, to_sha256, abi_changed FROM (${moduleChangeRows(stretch)}) changes
  WHERE ${within} ${inOrder}, module, at_or_before_version`;
const keys = sql`SELECT ${bounds("rotations")}, address, from_key, to_key FROM (${keyRotationRows(stretch)}) rotations
  WHERE ${within} ${inOrder}, at_or_before_version`;
const firstSeen = sql`SELECT a.address, min(s.from_version) AS ledger_version,
    CASE WHEN (SELECT min(c.from_version) FROM _coverage c WHERE c.address_id = a.id) = min(s.from_version)
      OR ((SELECT min(k.from_version) FROM _record_coverage k WHERE k.address_id = a.id) = min(s.from_version)
        AND min(s.listed) IS DISTINCT FROM min(s.from_version)) THEN 1 ELSE 0 END AS is_first_read
  FROM (SELECT address_id, from_version, NULL AS listed FROM _account_spans UNION ALL
    SELECT x.address_id, x.from_version, x.from_version FROM _listing_spans x JOIN _listings l ON l.id = x.listing_id WHERE l.modules > 0) s
  JOIN _addresses a ON a.id = s.address_id GROUP BY a.id, a.address`;
const accounts = sql`SELECT address, ledger_version, is_first_read FROM (${firstSeen}) seen WHERE ${within} ${inOrder}`;

/** Prepares the questions about changes. */
export function prepareChanges(engine: Engine): ChangeStore {
  const ask = <R extends Row, A>(statement: Sql, read: (row: R) => A) =>
    async function* ({ after, upTo }: VersionRange): AsyncGenerator<A> {
      for await (const rows of engine.stream<R>(statement, { after, upTo })) for (const row of rows) yield read(row);
    };
  return {
    moduleChanges: ask(modules, toModuleChange),
    listModuleChanges: async ({ after, upTo }) => (await engine.all<ModuleRow>(modules, { after, upTo })).map(toModuleChange),
    keyRotations: ask(keys, ([after, upTo, isExact, time, error, address, from, to]: KeyRow) => ({
      address,
      from,
      to,
      ...toBounds([after, upTo, isExact, time, error]),
    })),
    newAccounts: ask(accounts, ([address, version, isFirstRead]: NewRow) => ({
      address,
      ledgerVersion: BigInt(version),
      isFirstRead: isFirstRead === 1,
    })),
  };
}

function toModuleChange([after, upTo, isExact, time, error, address, module, from, to, abiChanged]: ModuleRow): ModuleChange {
  const isAbiChanged = abiChanged === null ? null : abiChanged === 1;
  return { address, module, from, to, abiChanged: isAbiChanged, ...toBounds([after, upTo, isExact, time, error]) };
}

function toBounds([after, atOrBefore, isExact, ...times]: BoundsRow): Bounds {
  return { afterVersion: BigInt(after), atOrBeforeVersion: BigInt(atOrBefore), isExact: isExact === 1, ...toMadeAt(times) };
}
