import { formatHex } from "../../base/hex.ts";
import type { Integer, Transaction } from "../../engine/engine.ts";
import { bytesOf, each, item } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { tables } from "../../schema/tables/tables.ts";
import type { Bytecodes } from "../content/bytecodes.ts";
import type { ObservedModule } from "../content/visit-model.ts";

/** A listing as it was seen. `address` is the account's row. */
export type NewListing = { readonly address: Integer; readonly digest: Uint8Array; readonly modules: readonly ObservedModule[] };

/** A stored listing, and how many bytecodes came with it that were not stored. */
export type StoredListing = { readonly id: Integer; readonly newBytecodes: number };

const wanted = sql`(SELECT j.key AS place, CAST(${item("j.value", 0)} AS bigint) AS address_id, ${bytesOf(item("j.value", 1))} AS digest,
  CAST(${item("j.value", 2)} AS bigint) AS modules FROM ${each(":listings::json", "j")}) AS w`;
const find = sql`SELECT w.place, l.id FROM ${wanted} JOIN _listings l ON l.address_id = w.address_id AND l.digest = w.digest`;
const add = sql`INSERT INTO _listings (address_id, digest, modules) SELECT w.address_id, w.digest, w.modules FROM ${wanted} WHERE true ORDER BY w.place ON CONFLICT DO NOTHING`;

export function prepareListings({ internAll }: Pick<Bytecodes, "internAll">) {
  /** The rows of listings, one for each, in their order. Those that are new come with their modules, and with the bytecode that is new. */
  const addListings = async (tx: Transaction, listings: readonly NewListing[]): Promise<StoredListing[]> => {
    if (listings.length === 0) return [];
    const known = await findAll(tx, listings);
    const fresh = listings.filter((_, i) => known[i] === undefined);
    if (fresh.length === 0) return known.map((id) => ({ id: id as Integer, newBytecodes: 0 }));
    const bytecodes = await internAll(
      tx,
      fresh.flatMap(({ address, modules }) => modules.map((module) => ({ address, module }))),
    );
    await tx.run(add, { listings: toJson(fresh) });
    const ids = await findAll(tx, fresh);
    const rows: (readonly [listing: Integer, name: string, bytecode: Integer])[] = [];
    const newBytecodes: number[] = [];
    let next = 0;
    for (const [i, { modules }] of fresh.entries()) {
      let isNew = 0;
      for (const { name } of modules) {
        const bytecode = bytecodes[next++] as { readonly id: Integer; readonly isNew: boolean };
        rows.push([ids[i] as Integer, name, bytecode.id]);
        if (bytecode.isNew) isNew += 1;
      }
      newBytecodes.push(isNew);
    }
    await tx.bulk(tables.listing_modules, rows);
    let place = 0;
    return known.map((id) => {
      if (id !== undefined) return { id, newBytecodes: 0 };
      const at = place++;
      return { id: ids[at] as Integer, newBytecodes: newBytecodes[at] as number };
    });
  };
  return { addListings };
}

async function findAll(tx: Transaction, listings: readonly NewListing[]): Promise<(Integer | undefined)[]> {
  const found = new Map(await tx.all<[number, Integer]>(find, { listings: toJson(listings) }));
  return listings.map((_, place) => found.get(place));
}

function toJson(listings: readonly NewListing[]): string {
  return JSON.stringify(listings.map(({ address, digest, modules }) => [address, formatHex(digest), modules.length]));
}
