import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import type { Address } from "../../move/address.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { inSqlite } from "../../schema/sql/sqlite-words.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

/** A sealed snapshot as `serve` shows it. Times in milliseconds since 1970. */
export type HeldSnapshot = {
  readonly ledgerVersion: bigint;
  readonly status: "sealed" | "sealed_with_gaps";
  readonly sealedAt: number;
  readonly accounts: number;
  readonly modules: number;
  readonly gaps: number;
  /** 64 hex digits, see `SealStore.seal`. */
  readonly digest: string;
};

/** An account that a snapshot has no answer about. What the node said is not among it: that text is the operator's own. */
export type HeldGap = { readonly address: Address; readonly reason: string };

/** Questions about what is held. */
export type HeldSnapshots = {
  /** How many snapshots are sealed. */
  readonly countSnapshots: () => Promise<number>;
  /** When a snapshot was sealed last, in milliseconds since 1970; 0 when none is. */
  readonly lastSealedAt: () => Promise<number>;
  /** Sealed snapshots below a version, newest first. */
  readonly listSnapshots: (page: { readonly below: bigint; readonly limit: number }) => Promise<readonly HeldSnapshot[]>;
  readonly findSnapshot: (ledgerVersion: bigint) => Promise<HeldSnapshot | undefined>;
  /** A snapshot's gaps in the order of addresses. */
  readonly listGaps: (ledgerVersion: bigint, limit: number) => Promise<readonly HeldGap[]>;
};

type Row = Record<"ledger_version" | "sealed_at" | "accounts" | "modules" | "gaps", bigint> & {
  readonly status: HeldSnapshot["status"];
  readonly digest: Uint8Array;
};

/** What makes a row of `pins` a sealed snapshot, for statements of SQLite's own connection. */
export const SEALED = inSqlite(sealed("pins"));

/** Prepares the questions about what is held on a connection. */
export function prepareHeldSnapshots(database: Database): Synchronous<HeldSnapshots> {
  const columns = "SELECT ledger_version, status, sealed_at, accounts, modules, gaps, digest FROM pins";
  const count = database.prepare<[], bigint>(`SELECT count(*) FROM pins WHERE ${SEALED}`).pluck();
  const sealedAt = database.prepare<[], bigint | null>(`SELECT max(sealed_at) FROM pins WHERE ${SEALED}`).pluck();
  const page = database.prepare<[bigint, number], Row>(
    `${columns} WHERE ledger_version < ? AND ${SEALED} ORDER BY ledger_version DESC LIMIT ?`,
  );
  const one = database.prepare<[bigint], Row>(`${columns} WHERE ledger_version = ? AND ${SEALED}`);
  const gaps = database.prepare<[bigint, number], HeldGap>(
    "SELECT address, reason FROM misses JOIN addresses ON id = address_id WHERE ledger_version = ? ORDER BY length(address), address LIMIT ?",
  );
  return {
    countSnapshots: () => Number(count.get()),
    lastSealedAt: () => Number(sealedAt.get() ?? 0),
    listSnapshots: ({ below, limit }) => page.all(below, limit).map(toSnapshot),
    findSnapshot: (version) => {
      const row = one.get(version);
      return row === undefined ? undefined : toSnapshot(row);
    },
    listGaps: (version, limit) => gaps.all(version, limit),
  };
}

function toSnapshot(row: Row): HeldSnapshot {
  return {
    ledgerVersion: row.ledger_version,
    status: row.status,
    sealedAt: Number(row.sealed_at),
    accounts: Number(row.accounts),
    modules: Number(row.modules),
    gaps: Number(row.gaps),
    digest: formatHex(row.digest),
  };
}
