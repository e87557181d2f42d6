import type { Engine } from "../../engine/engine.ts";
import { hex, shapeOf, text, version, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { madeAt } from "../times/made-at.ts";

const snapshot = shapeOf({
  ledgerVersion: version("p.ledger_version"),
  status: text<"sealed" | "sealed_with_gaps">("p.status"),
  sealedAt: whole("p.sealed_at"),
  accounts: whole("p.accounts"),
  modules: whole("p.modules"),
  gaps: whole("p.gaps"),
  digest: hex("p.digest"),
  ...madeAt("p.ledger_version"),
});
const gap = shapeOf({ address: text<Address>("a.address"), reason: text("m.reason") });

/** A sealed snapshot as `serve` shows it. Times in milliseconds since 1970; the digest as 64 hex digits, see `prepareSeal`. */
export type HeldSnapshot = ReturnType<typeof snapshot.read>;

/** An account that a snapshot has no answer about. What the node said is not among it: that text is the operator's own. */
export type HeldGap = ReturnType<typeof gap.read>;

const snapshots = sql`SELECT ${snapshot.columns} FROM _pins p WHERE ${sealed("p")}`;
const page = sql`${snapshots} AND p.ledger_version < :below ORDER BY p.ledger_version DESC LIMIT :limit`;
const one = sql`${snapshots} AND p.ledger_version = :version`;
const gaps = sql`SELECT ${gap.columns} FROM _misses m JOIN _addresses a ON a.id = m.address_id WHERE m.ledger_version = :version
  ORDER BY length(a.address), a.address LIMIT :limit`;

/** Questions about what is held. */
export function prepareHeldSnapshots(engine: Engine) {
  return {
    /** Sealed snapshots below a version, newest first. */
    listSnapshots: (wanted: { readonly below: bigint; readonly limit: number }): Promise<readonly HeldSnapshot[]> =>
      snapshot.all(engine, page, wanted),
    findSnapshot: (version: bigint): Promise<HeldSnapshot | undefined> => snapshot.first(engine, one, { version }),
    /** A snapshot's gaps in the order of addresses. */
    listGaps: (version: bigint, limit: number): Promise<readonly HeldGap[]> => gap.all(engine, gaps, { version, limit }),
  };
}
