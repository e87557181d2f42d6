import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Engine } from "../../engine/engine.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { sql } from "../../schema/sql/sql.ts";
import { sourceTables } from "../../schema/tables/sources.ts";

const addSource = sql`INSERT INTO _sources (kind, name, digest, imported_at) VALUES ('node', :name, :digest, :now::time)
  ON CONFLICT (kind, digest) DO UPDATE SET name = excluded.name, imported_at = excluded.imported_at RETURNING id`;
const addSnapshot = sql`INSERT INTO _source_snapshots (ledger_version, source_id, accounts, new_accounts, digest)
  SELECT p.ledger_version, :id, :accounts, :accounts, coalesce(p.digest, :none) FROM _pins p WHERE p.ledger_version = :ledgerVersion
  ON CONFLICT (ledger_version, source_id) DO UPDATE SET accounts = excluded.accounts, digest = excluded.digest`;
const checkSource = writeChecksum(sourceTables.sources);
const checkSnapshot = writeChecksum(sourceTables.source_snapshots);

/** Where snapshots come from that the crawled node could no longer answer for. */
export function prepareNodeSources(engine: Engine) {
  return {
    /**
     * Records that an archive node answers for accounts of a pinned version. Called before the first request, so that every observation has
     * a source, and again at the seal, which adds the digest.
     */
    recordNodeSource: (url: string, ledgerVersion: bigint, accounts: number, now: number): Promise<void> =>
      engine.transaction(async (tx) => {
        const digest = formatHex(sha256(new TextEncoder().encode(url)));
        const [[id]] = (await tx.all<[number]>(addSource, { name: printable(url), digest, now })) as [[number]];
        await tx.run(checkSource, { id });
        await tx.run(addSnapshot, { id, ledgerVersion, accounts, none: new Uint8Array(32) });
        await tx.run(checkSnapshot, { ledger_version: ledgerVersion, source_id: id });
      }),
  };
}
