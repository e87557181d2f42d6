import type { Database } from "better-sqlite3";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { listingDigest } from "../snapshots/listing-digest.ts";
import { STORABLE_NAME } from "../snapshots/visit-model.ts";
import { type Check, countOf, type Damage, inSlice, type Slice } from "./check.ts";
import { prepareAccountName } from "./names.ts";

type Row = { readonly id: bigint; readonly address_id: bigint; readonly digest: Uint8Array; readonly modules: bigint };
type Listed = { readonly name: string; readonly sha256: Uint8Array };

/** Every listing: its modules are counted and its digest is made again. */
export function listingCheck(database: Database, slice: Slice): Check {
  const where = inSlice("id", slice);
  const rows = database.prepare<[], Row>(`SELECT id, address_id, digest, modules FROM listings WHERE ${where} ORDER BY id`);
  const listed = database.prepare<[bigint], Listed>(
    "SELECT m.name, b.sha256 FROM listing_modules m JOIN bytecodes b ON b.id = m.bytecode_id WHERE m.listing_id = ?",
  );
  const nameOf = prepareAccountName(database);
  const damageOf = ({ id, address_id, digest, modules }: Row): Damage[] => {
    const wrong = (problem: string): Damage => ({ table: "listings", row: `${id} (${nameOf(address_id)})`, problem });
    const found = listed.all(id);
    const damage: Damage[] = [];
    if (BigInt(found.length) !== modules) damage.push(wrong(`${modules} modules are said to be on it, and it has ${found.length}`));
    const unstorable = found.find(({ name }) => !STORABLE_NAME.test(name));
    if (unstorable !== undefined) damage.push(wrong(`\`${printable(unstorable.name, 80)}\` is not a module's name`));
    const now = listingDigest(found);
    if (!equalBytes(now, digest)) damage.push(wrong(`its modules have the digest ${formatHex(now)}, and ${formatHex(digest)} is stored`));
    return damage;
  };
  return {
    name: "listings",
    total: () => countOf(database, `SELECT count(*) FROM listings WHERE ${where}`),
    steps: function* () {
      for (const row of rows.iterate()) yield damageOf(row);
    },
  };
}
