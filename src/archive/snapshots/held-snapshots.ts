import { formatHex } from "../../base/hex.ts";
import type { Engine, Integer } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type MadeAt, type MadeAtCells, madeAt, toMadeAt } from "../times/made-at.ts";

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
} & MadeAt;

/** An account that a snapshot has no answer about. What the node said is not among it: that text is the operator's own. */
export type HeldGap = { readonly address: Address; readonly reason: string };

/** Questions about what is held. */
export type HeldSnapshots = {
  /** Sealed snapshots below a version, newest first. */
  readonly listSnapshots: (page: { readonly below: bigint; readonly limit: number }) => Promise<readonly HeldSnapshot[]>;
  readonly findSnapshot: (ledgerVersion: bigint) => Promise<HeldSnapshot | undefined>;
  /** A snapshot's gaps in the order of addresses. */
  readonly listGaps: (ledgerVersion: bigint, limit: number) => Promise<readonly HeldGap[]>;
};

type Row = readonly [
  ledgerVersion: Integer,
  status: HeldSnapshot["status"],
  sealedAt: number,
  accounts: number,
  modules: number,
  gaps: number,
  digest: Uint8Array,
  ...MadeAtCells,
];
type GapRow = readonly [address: Address, reason: string];

const snapshots = sql`SELECT p.ledger_version, p.status, p.sealed_at, p.accounts, p.modules, p.gaps, p.digest, ${madeAt("p.ledger_version")}
  FROM _pins p WHERE ${sealed("p")}`;
const page = sql`${snapshots} AND p.ledger_version < :below ORDER BY p.ledger_version DESC LIMIT :limit`;
const one = sql`${snapshots} AND p.ledger_version = :version`;
const gaps = sql`SELECT a.address, m.reason FROM _misses m JOIN _addresses a ON a.id = m.address_id WHERE m.ledger_version = :version
  ORDER BY length(a.address), a.address LIMIT :limit`;

/** Prepares the questions about what is held. */
export function prepareHeldSnapshots(engine: Engine): HeldSnapshots {
  return {
    listSnapshots: async (wanted) => (await engine.all<Row>(page, wanted)).map(toSnapshot),
    findSnapshot: async (version) => {
      const row = await engine.first<Row>(one, { version });
      return row === undefined ? undefined : toSnapshot(row);
    },
    listGaps: async (version, limit) =>
      (await engine.all<GapRow>(gaps, { version, limit })).map(([address, reason]) => ({ address, reason })),
  };
}

function toSnapshot([ledgerVersion, status, sealedAt, accounts, modules, gapCount, digest, ...times]: Row): HeldSnapshot {
  const counts = { accounts, modules, gaps: gapCount };
  return { ledgerVersion: BigInt(ledgerVersion), status, sealedAt, ...counts, digest: formatHex(digest), ...toMadeAt(times) };
}
