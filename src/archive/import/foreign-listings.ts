import { formatHex } from "../../base/bytes.ts";
import type { Cell } from "../../base/cell.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Integer, Session, Transaction } from "../../engine/engine.ts";
import { deriveContent } from "../../exchange/modules/read-modules.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { findBytecodes } from "../content/add-bytecodes.ts";
import { type CodeCells, codeColumns, codeJoin, readBases, unlessDamaged } from "../content/read-code.ts";
import type { ModuleContent, ObservedModule } from "../content/visit-model.ts";
import { listingDigest } from "../snapshots/snapshot-digest.ts";
import { keyIn, nameIn, refused } from "./foreign-cells.ts";

/** A listing of a foreign database. `id` numbers the bytecode there. */
export type ForeignListing = {
  readonly digest: Uint8Array;
  readonly modules: readonly { readonly id: Integer; readonly name: string; readonly sha256: Uint8Array }[];
};

/** How many modules of listings are remembered: most accounts show the same listing from snapshot to snapshot. */
const MOST_REMEMBERED = 200_000;

const listingModules = sql<[Integer, Cell, Cell, Integer]>`SELECT m.listing_id, m.name, b.sha256, b.id FROM ${jsonEach(":ids::json", "j")}
  JOIN _listing_modules m ON m.listing_id = CAST(j.value AS bigint) LEFT JOIN _bytecodes b ON b.id = m.bytecode_id ORDER BY m.listing_id, m.name`;
const codes = sql<[...CodeCells, string | null]>`SELECT ${codeColumns}, b.node_abi FROM ${jsonEach(":ids::json", "j")}
  JOIN _bytecodes b ON b.id = CAST(j.value AS bigint) ${codeJoin}`;

/** The listings of a foreign database by their numbers there. Their digests are computed, whatever that database says of them. */
export function foreignListings(session: Session): (ids: readonly Integer[]) => Promise<ReadonlyMap<Integer, ForeignListing>> {
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
        const modules = (found.get(id) ?? []).map(([, name, sha256, code]) => ({ id: code, name: nameIn(name), sha256: keyIn(sha256) }));
        if (new Set(modules.map(({ name }) => name)).size < modules.length) throw refused("a listing of it holds a module twice");
        known.set(id, { modules, digest: listingDigest(modules) });
        remembered += modules.length;
      }
    }
    return new Map(ids.map((id) => [id, known.get(id) as ForeignListing]));
  };
}

/** A listing's modules as a visit brings them: with the bytes of those that are not stored here. */
export async function withContent(tx: Transaction, session: Session, listings: readonly ForeignListing[]): Promise<ObservedModule[][]> {
  const ids = new Map(listings.flatMap(({ modules }) => modules.map(({ id, sha256 }) => [formatHex(sha256), id] as const)));
  const stored = await findBytecodes(tx, [...ids.keys()]);
  const contents = await readContents(
    session,
    [...ids].flatMap(([hex, id]) => (stored.has(hex) ? [] : [id])),
  );
  return listings.map(({ modules }) =>
    modules.map(({ name, sha256 }): ObservedModule => {
      const content = contents.get(formatHex(sha256));
      return content === undefined ? { name, sha256 } : { name, sha256, content };
    }),
  );
}

/** The bytes of a foreign database's bytecodes, by SHA-256 in hex, which is computed anew. @throws StoreError `MOVEDEX_STORE_ARCHIVE` */
export async function readContents(session: Session, ids: readonly Integer[]): Promise<Map<string, ModuleContent>> {
  if (ids.length === 0) return new Map();
  const rows = await session.all(codes, { ids: JSON.stringify(ids.map(Number)) });
  const unpack = await readBases(session, rows);
  return new Map(
    rows.map((row) => {
      const hex = formatHex(keyIn(row[0]));
      const code = unlessDamaged(() => unpack(row).code);
      if (code === undefined || formatHex(sha256(code)) !== hex) throw refused(`its bytecode ${hex} is damaged, or has another SHA-256`);
      return [hex, deriveContent(code, row[4])];
    }),
  );
}
