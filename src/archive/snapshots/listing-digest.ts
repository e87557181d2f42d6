import { createHash } from "node:crypto";
import { compareUtf8 } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";

/**
 * What names a listing: the SHA-256 of one line `<name> <SHA-256 in hex>\n` for each module, in the bytewise order of names.
 * Names hold neither spaces nor line breaks (`STORABLE_NAME`), so that no two listings have the same lines.
 */
export function listingDigest(modules: Iterable<{ readonly name: string; readonly sha256: Uint8Array }>): Uint8Array {
  const sorted = [...modules].sort((a, b) => compareUtf8(a.name, b.name));
  const hash = createHash("sha256");
  for (const { name, sha256 } of sorted) hash.update(`${name} ${formatHex(sha256)}\n`);
  return new Uint8Array(hash.digest());
}
