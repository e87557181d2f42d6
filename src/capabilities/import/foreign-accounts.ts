import { chunks } from "../../core/base/chunks.ts";
import type { RecordCells, SeenRecord } from "../../core/db/archive/snapshots/covering.ts";
import { listingDigest } from "../../core/db/archive/snapshots/snapshot-digest.ts";
import type { Integer, Session } from "../../core/db/engine/engine.ts";
import { jsonEach } from "../../core/db/schema/sql/functions.ts";
import { includesVersion } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";
import { foreignAddress, foreignName, foreignRecord } from "./foreign-cells.ts";

/** A listing of a foreign database. `id` numbers the bytecode there. */
export type ForeignListing = {
  readonly digest: Uint8Array;
  readonly modules: readonly { readonly id: Integer; readonly name: string; readonly sha256: Uint8Array }[];
};

/** How many modules of listings are remembered: most accounts show the same listing from snapshot to snapshot. */
const MOST_REMEMBERED = 200_000;

const listingModules = sql<
  [Integer, string, Uint8Array, Integer]
>`SELECT m.listing_id, m.name, b.sha256, b.id FROM ${jsonEach(":ids::json", "j")}
  JOIN _listing_modules m ON m.listing_id = CAST(j.value AS bigint) JOIN _bytecodes b ON b.id = m.bytecode_id ORDER BY m.listing_id, m.name`;

/** The listings of a foreign database by their numbers there. */
function foreignListings(session: Session): (ids: readonly Integer[]) => Promise<ReadonlyMap<Integer, ForeignListing>> {
  const known = new Map<Integer, ForeignListing>();
  let remembered = 0;
  return async (ids) => {
    const missing = [...new Set(ids)].filter((id) => !known.has(id));
    if (remembered > MOST_REMEMBERED) {
      known.clear();
      remembered = 0;
      missing.splice(0, missing.length, ...new Set(ids));
    }
    if (missing.length > 0) {
      const rows = await session.all(listingModules, { ids: JSON.stringify(missing.map(Number)) });
      const found = Map.groupBy(rows, ([listing]) => listing);
      for (const id of missing) {
        const modules = (found.get(id) ?? []).map(([, name, sha256, code]) => ({ id: code, name: foreignName(name), sha256 }));
        known.set(id, { modules, digest: listingDigest(modules) });
        remembered += modules.length;
      }
    }
    return new Map(ids.map((id) => [id, known.get(id) as ForeignListing]));
  };
}

/** An account as a snapshot of a foreign database shows it. `id` numbers it there. */
export type ForeignAccount = {
  readonly id: Integer;
  readonly address: Address;
  readonly listing: ForeignListing;
  readonly record: SeenRecord;
};

const PAGE = 500;

const isCovered = includesVersion("c", ":version");
const coverage = sql`_coverage c JOIN _addresses a ON a.id = c.address_id`;
// Whether something of the account began after the snapshot before, or ended with it. Before the first snapshot everything did.
const isChanged = sql`(c.from_version > :previous OR s.from_version > :previous OR r.from_version > :previous
  OR (r.address_id IS NULL AND EXISTS (SELECT 1 FROM _account_spans q WHERE q.address_id = c.address_id AND ${includesVersion("q", ":previous")})))`;
// No listing has the number 0: it stands for an empty one.
const changed = sql<Row>`SELECT a.id, a.address, coalesce(s.listing_id, 0), CASE WHEN c.reads_record THEN 1 ELSE 0 END,
    r.sequence_number, r.authentication_key, r.resource
  FROM ${coverage} JOIN _listing_spans s ON s.address_id = c.address_id AND ${includesVersion("s", ":version")}
  LEFT JOIN _account_spans r ON c.reads_record AND r.address_id = c.address_id AND ${includesVersion("r", ":version")}
  WHERE ${isCovered} AND ${isChanged} ORDER BY length(a.address), a.address`;
const gone = sql<[Address]>`SELECT a.address FROM ${coverage} WHERE ${includesVersion("c", ":previous")} AND NOT EXISTS (SELECT 1
  FROM _coverage q WHERE q.address_id = c.address_id AND ${includesVersion("q", ":version")})`;

type Row = readonly [id: Integer, Address, listing: Integer, isRead: 0 | 1, ...RecordCells];

export function foreignAccountQueries(session: Session) {
  const listingsOf = foreignListings(session);
  return {
    /** The accounts of a snapshot in the order of addresses, in lists; with `previous` only those that differ from what that one shows. */
    changed: async function* (version: bigint, previous: bigint | undefined): AsyncGenerator<readonly ForeignAccount[]> {
      for await (const list of session.stream(changed, { version, previous: previous ?? -1n })) {
        for (const rows of chunks(list, PAGE)) {
          const listings = await listingsOf(rows.map(([, , listing]) => listing));
          yield rows.map(
            ([id, address, listing, isRead, ...record]): ForeignAccount => ({
              id,
              address: foreignAddress(address),
              listing: listings.get(listing) as ForeignListing,
              record: isRead === 1 ? foreignRecord(record) : "unread",
            }),
          );
        }
      }
    },
    gone: async function* (version: bigint, previous: bigint): AsyncGenerator<readonly [Address]> {
      for await (const rows of session.stream(gone, { version, previous })) yield* rows;
    },
  };
}
