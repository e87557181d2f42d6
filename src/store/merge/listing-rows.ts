import type { Database } from "better-sqlite3";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { listingDigest } from "../snapshots/listing-digest.ts";
import { type AccountView, listings } from "./merging.ts";

/** Finds or makes the row of a module's bytecode; `older` is what the module was before. SHA-256 in hex. */
export type BytecodeId = (name: string, sha256: string, older: string | undefined) => bigint;

/** An account's listings over its snapshots, as they are stored. `address` is the account's row. */
export type ListingRowStore = {
  /** Writes them anew where they differ. */
  readonly write: (address: bigint, view: AccountView, bytecodeId: BytecodeId) => void;
};

type StoredRow = { readonly from_version: bigint; readonly to_version: bigint | null; readonly digest: Uint8Array };
type Listed = { readonly name: string; readonly sha256: Uint8Array };

/** Prepares the listings of whole accounts on a connection. */
export function prepareListingRows(database: Database): ListingRowStore {
  const spans = database.prepare<[bigint], StoredRow>(
    "SELECT s.from_version, s.to_version, l.digest FROM listing_spans s JOIN listings l ON l.id = s.listing_id WHERE s.address_id = ? ORDER BY s.from_version",
  );
  const dropSpans = database.prepare<[bigint]>("DELETE FROM listing_spans WHERE address_id = ?");
  const addSpan = database.prepare<[bigint, bigint, bigint | null, bigint]>(
    "INSERT INTO listing_spans (address_id, from_version, to_version, listing_id) VALUES (?, ?, ?, ?)",
  );
  const find = database.prepare<[bigint, Uint8Array], bigint>("SELECT id FROM listings WHERE address_id = ? AND digest = ?").pluck();
  const add = database.prepare<[bigint, Uint8Array, number]>("INSERT INTO listings (address_id, digest, modules) VALUES (?, ?, ?)");
  const addModule = database.prepare<[bigint, string, bigint]>(
    "INSERT INTO listing_modules (listing_id, name, bytecode_id) VALUES (?, ?, ?)",
  );

  const idOf = (address: bigint, digest: Uint8Array, modules: readonly Listed[], bytecode: (module: Listed) => bigint): bigint => {
    const known = find.get(address, digest);
    if (known !== undefined) return known;
    const rows = modules.map((module) => [module.name, bytecode(module)] as const);
    const id = BigInt(add.run(address, digest, modules.length).lastInsertRowid);
    for (const [name, row] of rows) addModule.run(id, name, row);
    return id;
  };

  return {
    write: (address, view, bytecodeId) => {
      const newest = view.covered.at(-1);
      const wanted = [...listings(view)]
        .filter(({ versions }) => versions.length > 0)
        .map(({ versions, listing }) => {
          const modules = listing.map(([name, sha256]): Listed => ({ name, sha256 }));
          const last = versions.at(-1) as bigint;
          return { from: versions[0] as bigint, to: last === newest ? null : last, modules, digest: listingDigest(modules) };
        });
      const stored = spans.all(address);
      const isSame = wanted.every(({ from, to, digest }, i) => {
        const row = stored[i];
        return row !== undefined && row.from_version === from && row.to_version === to && equalBytes(row.digest, digest);
      });
      if (isSame && stored.length === wanted.length) return;
      dropSpans.run(address);
      const before = new Map<string, string>();
      for (const { from, to, modules, digest } of wanted) {
        const listing = idOf(address, digest, modules, ({ name, sha256 }) => bytecodeId(name, formatHex(sha256), before.get(name)));
        addSpan.run(address, from, to, listing);
        for (const { name, sha256 } of modules) before.set(name, formatHex(sha256));
      }
    },
  };
}
