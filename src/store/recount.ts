import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { formatHex } from "../base/hex.ts";
import { type Address, formatLongAddress } from "../move/address.ts";
import type { Statements } from "./sqlite-statements.ts";

/** What a seal says of a snapshot's content. `digest` is 32 bytes; see `SealStore.seal`. */
export type Totals = { readonly accounts: number; readonly modules: number; readonly digest: Uint8Array };

/** A module's name and SHA-256. */
export type ModuleDigest = readonly [name: string, sha256: Uint8Array];

/** The part of a seal's digest that one account is: its modules in the order of names. */
export function digestLines(address: Address, modules: readonly ModuleDigest[]): string {
  const long = formatLongAddress(address);
  let lines = "";
  for (const [name, sha256] of modules) lines += `${long}::${name} ${formatHex(sha256)}\n`;
  return lines;
}

/** Prepares the counting of what a sealed snapshot holds, read back from the spans: all accounts it covers, in the order of addresses. */
export function prepareRecount(database: Database, statements: Statements): (version: bigint) => Totals {
  const covered = database
    .prepare<[bigint, bigint], readonly [id: bigint, address: Address]>(
      "SELECT a.id, a.address FROM coverage c JOIN addresses a ON a.id = c.address_id " +
        "WHERE c.from_version <= ? AND (c.to_version IS NULL OR c.to_version >= ?) ORDER BY length(a.address), a.address",
    )
    .raw(true);
  return (version) => {
    const hash = createHash("sha256");
    let accounts = 0;
    let modules = 0;
    for (const [id, address] of covered.iterate(version, version)) {
      const digests = statements.digestsAt.all(id, version, version);
      hash.update(digestLines(address, digests));
      accounts += 1;
      modules += digests.length;
    }
    return { accounts, modules, digest: hash.digest() };
  };
}
