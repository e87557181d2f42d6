import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { type Check, countRowsOf, type Damage, inSlice, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { STORABLE_NAME } from "../content/visit-model.ts";
import { listingDigest } from "../snapshots/snapshot-digest.ts";
import { accountName } from "./names.ts";

type Listing = readonly [id: Integer, account: Integer, address: string | null, digest: Uint8Array, modules: Integer];
type Row = readonly [...Listing, name: string | null, sha256: Uint8Array | null];
type Listed = { readonly name: string; readonly sha256: Uint8Array };

const selectListed = (
  isLooked: Sql,
): Sql => sql`SELECT l.id, l.address_id, a.address, l.digest, l.modules, m.name, b.sha256 FROM _listings l
  LEFT JOIN _addresses a ON a.id = l.address_id LEFT JOIN _listing_modules m ON m.listing_id = l.id LEFT JOIN _bytecodes b ON b.id = m.bytecode_id
  WHERE ${isLooked} ORDER BY l.id`;

/** Every listing: its modules are counted and its digest is made again. */
export function listingCheck(session: Session, slice: Slice): Check {
  const isLooked = inSlice(sql`l.id`, slice);
  return {
    name: "listings",
    total: () => countRowsOf(session, sql`_listings l WHERE ${isLooked}`),
    steps: async function* () {
      let listing: Listing | undefined;
      let listed: Listed[] = [];
      for await (const rows of session.stream<Row>(selectListed(isLooked))) {
        for (const [id, account, address, digest, modules, name, sha256] of rows) {
          if (listing !== undefined && listing[0] !== id) {
            yield damageOf(listing, listed);
            listed = [];
          }
          listing = [id, account, address, digest, modules];
          if (name !== null && sha256 !== null) listed.push({ name, sha256 });
        }
      }
      if (listing !== undefined) yield damageOf(listing, listed);
    },
  };
}

function damageOf([id, account, address, digest, modules]: Listing, found: readonly Listed[]): Damage[] {
  const wrong = (problem: string): Damage => ({ table: "_listings", row: `${id} (${accountName(account, address)})`, problem });
  const damage: Damage[] = [];
  if (found.length !== modules) damage.push(wrong(`${modules} modules are said to be on it, and it has ${found.length}`));
  const unstorable = found.find(({ name }) => !STORABLE_NAME.test(name));
  if (unstorable !== undefined) damage.push(wrong(`\`${printable(unstorable.name, 80)}\` is not a module's name`));
  const now = listingDigest(found);
  if (!equalBytes(now, digest)) damage.push(wrong(`its modules have the digest ${formatHex(now)}, and ${formatHex(digest)} is stored`));
  return damage;
}
