import { equalBytes, formatHex } from "../../base/bytes.ts";
import { printable } from "../../base/printable.ts";
import { type Check, countRowsOf, type Damage, groupsOf, inSlice, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { parseAddress } from "../../move/address.ts";
import { sql } from "../../schema/sql/sql.ts";
import { STORABLE_NAME } from "../content/visit-model.ts";
import { listingDigest } from "../snapshots/snapshot-digest.ts";

/** Every address: printed as the node prints it, so that there is one row for each. */
export function addressCheck(session: Session, slice: Slice): Check {
  const rows = sql`_addresses a WHERE ${inSlice(sql`a.id`, slice)}`;
  return {
    name: "addresses",
    total: () => countRowsOf(session, rows),
    steps: async function* () {
      for await (const list of session.stream(sql<[Integer, string]>`SELECT a.id, a.address FROM ${rows} ORDER BY a.id`)) {
        for (const [id, address] of list) {
          const problem = `\`${printable(address, 80)}\` is not an address as the node prints it`;
          yield parseAddress(address) === address ? [] : [{ table: "_addresses", row: `${id}`, problem }];
        }
      }
    },
  };
}

type Row = readonly [
  id: Integer,
  account: Integer,
  address: string | null,
  digest: Uint8Array,
  modules: Integer,
  name: string | null,
  sha256: Uint8Array | null,
];

/** Every listing: its modules are counted and its digest is made again. */
export function listingCheck(session: Session, slice: Slice): Check {
  const isLooked = inSlice(sql`l.id`, slice);
  return {
    name: "listings",
    total: () => countRowsOf(session, sql`_listings l WHERE ${isLooked}`),
    steps: async function* () {
      const rows = sql<Row>`SELECT l.id, l.address_id, a.address, l.digest, l.modules, m.name, b.sha256 FROM _listings l
        LEFT JOIN _addresses a ON a.id = l.address_id LEFT JOIN _listing_modules m ON m.listing_id = l.id
        LEFT JOIN _bytecodes b ON b.id = m.bytecode_id WHERE ${isLooked} ORDER BY l.id`;
      for await (const listing of groupsOf(session.stream(rows))) yield damageOf(listing);
    },
  };
}

function damageOf(rows: readonly [Row, ...Row[]]): Damage[] {
  const [[id, account, address, digest, modules]] = rows;
  const found = rows.flatMap(([, , , , , name, sha256]) => (name === null || sha256 === null ? [] : [{ name, sha256 }]));
  const wrong = (problem: string): Damage => ({ table: "_listings", row: `${id} (${accountName(account, address)})`, problem });
  const damage: Damage[] = [];
  if (found.length !== modules) damage.push(wrong(`${modules} modules are said to be on it, and it has ${found.length}`));
  const unstorable = found.find(({ name }) => !STORABLE_NAME.test(name));
  if (unstorable !== undefined) damage.push(wrong(`\`${printable(unstorable.name, 80)}\` is not a module's name`));
  const now = listingDigest(found);
  if (!equalBytes(now, digest)) damage.push(wrong(`its modules have the digest ${formatHex(now)}, and ${formatHex(digest)} is stored`));
  return damage;
}

/** An account in a finding: by its address, or by the number of its row where that is not there. */
export function accountName(id: Integer, address: string | null): string {
  return `account ${printable(address ?? `${id}`, 80)}`;
}
