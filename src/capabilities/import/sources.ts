import { printable } from "../../core/base/printable.ts";
import type { Integer, Transaction } from "../../core/db/engine/engine.ts";
import { addRow } from "../../core/db/engine/row-shape.ts";
import { writeChecksum } from "../../core/db/schema/sql/checksum.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { sourceTables } from "./tables.ts";

/** Where observations came from beside the crawled node. `digest`: SHA-256 in hex of the content. */
export type Source = {
  readonly kind: "database" | "modules";
  readonly name: string;
  readonly digest: string;
};

const insertSource = sql`INSERT INTO _sources (kind, name, digest, imported_at) VALUES (:kind, :name, :digest, :now::time)
  ON CONFLICT (kind, digest) DO UPDATE SET name = excluded.name, imported_at = excluded.imported_at RETURNING id`;
const checkSource = writeChecksum(sourceTables.sources);
const addSnapshot = sql`INSERT INTO _source_snapshots (ledger_version, source_id, accounts, new_accounts, digest)
  SELECT p.ledger_version, :source, :accounts, :newAccounts, :digest::bytes FROM _all_snapshots p WHERE p.ledger_version = :ledgerVersion
  ON CONFLICT (ledger_version, source_id) DO UPDATE SET accounts = excluded.accounts, digest = excluded.digest`;
const checkSnapshot = writeChecksum(sourceTables.source_snapshots);

/** Records a source; a known one under its newest name. @returns the number of its row */
export function addSource(tx: Transaction, { kind, name, digest }: Source, now: number): Promise<Integer> {
  return addRow<Integer>(tx, insertSource, { kind, name: printable(name), digest, now }, checkSource);
}

/** What a source has of a snapshot. `newAccounts`: those that nothing covered before it. `digest`: its own. */
type SourceSnapshot = Readonly<Record<"accounts" | "newAccounts", number>> & {
  readonly ledgerVersion: bigint;
  readonly digest: Uint8Array;
};

/** Records what a source, by the number of its row, has of a snapshot. What was new before its first import stays. */
export async function addSourceSnapshot(tx: Transaction, source: Integer, snapshot: SourceSnapshot): Promise<void> {
  await tx.run(addSnapshot, { ...snapshot, source });
  await tx.run(checkSnapshot, { ledger_version: snapshot.ledgerVersion, source_id: source });
}
