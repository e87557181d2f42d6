import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { inOrder, moduleRows, type StoredModule, standing, storedModule } from "../../../core/db/archive/read/module-queries.ts";
import { countOf } from "../../../core/db/engine/row-shape.ts";
import { includesVersion } from "../../../core/db/schema/sql/predicates.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import type { Address } from "../../../core/move/address.ts";

// One list is one row, so that accounts without a change are told by its number.
const isAlike = sql`EXISTS (SELECT 1 FROM _listing_spans o JOIN _coverage k ON k.address_id = o.address_id AND ${includesVersion("k", ":other")}
  WHERE o.address_id = s.address_id AND o.listing_id = s.listing_id AND ${includesVersion("o", ":other")})`;
const modulesUnlike = sql`${moduleRows} WHERE ${standing} AND NOT ${isAlike} ${inOrder}`;
const modulesAlike = sql`SELECT CAST(coalesce(sum(l.modules), 0) AS bigint) FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id WHERE ${standing} AND ${isAlike}`;
const accountsCovered = sql<
  [Address],
  { version: bigint; other: bigint | null }
>`SELECT a.address FROM _coverage c JOIN _addresses a ON a.id = c.address_id
  WHERE ${includesVersion("c", ":version")} AND (:other::version IS NULL OR NOT EXISTS (SELECT 1 FROM _coverage o
    WHERE o.address_id = c.address_id AND ${includesVersion("o", ":other::version")})) ORDER BY c.address_id`;

/** What two snapshots of one archive do not show alike. */
export function unlikeQueries({ engine }: ModuleArchive) {
  return {
    /** Modules at a snapshot, of the accounts whose modules another does not show all alike; in the order of accounts and names. */
    modulesUnlike: (version: bigint, other: bigint): Promise<StoredModule[]> => storedModule.all(engine, modulesUnlike, { version, other }),
    /** How many modules the other accounts have: those that the two snapshots show alike. */
    countAlike: (version: bigint, other: bigint): Promise<number> => countOf(engine, modulesAlike, { version, other }),
    /** Accounts that one snapshot covers and, if `other` is given, the other does not. Read as they are walked, so memory stays flat. */
    coveredAccounts: async function* (version: bigint, other?: bigint): AsyncIterable<Address> {
      for await (const rows of engine.stream(accountsCovered, { version, other: other ?? null }))
        for (const [address] of rows) yield address;
    },
  };
}
