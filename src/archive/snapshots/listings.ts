import { formatHex } from "../../base/bytes.ts";
import type { Integer, Transaction } from "../../engine/engine.ts";
import { bytesOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { tables } from "../../schema/tables/tables.ts";
import type { Bytecodes, StoredBytecode } from "../content/bytecodes.ts";
import type { ObservedModule } from "../content/visit-model.ts";

/** A listing as it was seen. `address` is the account's row. */
export type NewListing = { readonly address: Integer; readonly digest: Uint8Array; readonly modules: readonly ObservedModule[] };

/** A stored listing, and how many bytecodes came with it that were not stored. */
export type StoredListing = { readonly id: Integer; readonly newBytecodes: number };

const wanted = sql`(SELECT j.key AS place, CAST(${jsonItem("j.value", 0)} AS bigint) AS address_id, ${bytesOf(jsonItem("j.value", 1))} AS digest,
  CAST(${jsonItem("j.value", 2)} AS bigint) AS modules FROM ${jsonEach(":listings::json", "j")}) AS w`;
const find = sql<[number, Integer]>`SELECT w.place, l.id FROM ${wanted} JOIN _listings l ON l.address_id = w.address_id
  AND l.digest = w.digest`;
const add = sql`INSERT INTO _listings (address_id, digest, modules) SELECT w.address_id, w.digest, w.modules FROM ${wanted} WHERE true ORDER BY w.place ON CONFLICT DO NOTHING`;

/** The rows of listings, one for each, in their order. Those that are new come with their modules, and with the bytecode that is new. */
export async function addListings(
  tx: Transaction,
  internAll: Bytecodes["internAll"],
  listings: readonly NewListing[],
): Promise<StoredListing[]> {
  if (listings.length === 0) return [];
  const known = await findAll(tx, listings);
  const fresh = listings.filter((_, i) => known[i] === undefined);
  const added = (fresh.length === 0 ? [] : await writeAll(tx, internAll, fresh)).values();
  return known.map((id) => (id === undefined ? (added.next().value as StoredListing) : { id, newBytecodes: 0 }));
}

async function writeAll(
  tx: Transaction,
  internAll: Bytecodes["internAll"],
  listings: readonly NewListing[],
): Promise<readonly StoredListing[]> {
  const modules = listings.flatMap(({ address, modules }) => modules.map((module) => ({ address, module })));
  const bytecodes = (await internAll(tx, modules)).values();
  await tx.run(add, { listings: toJson(listings) });
  const ids = await findAll(tx, listings);
  const rows: (readonly [listing: Integer, name: string, bytecode: Integer])[] = [];
  const added = listings.map(({ modules }, i) => {
    const listing = { id: ids[i] as Integer, newBytecodes: 0 };
    for (const { name } of modules) {
      const { id, isNew } = bytecodes.next().value as StoredBytecode;
      rows.push([listing.id, name, id]);
      if (isNew) listing.newBytecodes += 1;
    }
    return listing;
  });
  await tx.bulk(tables.listing_modules, rows);
  return added;
}

async function findAll(tx: Transaction, listings: readonly NewListing[]): Promise<(Integer | undefined)[]> {
  const found = new Map(await tx.all(find, { listings: toJson(listings) }));
  return listings.map((_, place) => found.get(place));
}

function toJson(listings: readonly NewListing[]): string {
  return JSON.stringify(listings.map(({ address, digest, modules }) => [address, formatHex(digest), modules.length]));
}
