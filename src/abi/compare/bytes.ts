import { Cursor } from "../../move/module/cursor.ts";
import { readKnownVersion, readLayout, table } from "../../move/module/tables.ts";

/** What differs between the bytes of two modules: nothing, the table of metadata alone, or something else too. */
export type BytesDifference = "none" | "metadata" | "code";

/**
 * Compares the bytes of two modules table by table. Metadata holds attributes, error texts and the compiler's name; all
 * that runs is elsewhere. Bytes that are no module differ in code. Never throws.
 */
export function compareBytes(before: Uint8Array, after: Uint8Array): BytesDifference {
  if (Buffer.compare(before, after) === 0) return "none";
  try {
    const old = parts(before);
    const now = parts(after);
    return old.length === now.length && old.every((part, i) => Buffer.compare(part, now[i] as Uint8Array) === 0) ? "metadata" : "code";
  } catch {
    return "code";
  }
}

/** Everything but the metadata: the version, each table in the order of its kind, and what comes after the tables. */
function parts(bytes: Uint8Array): Uint8Array[] {
  const cursor = new Cursor(bytes);
  const version = readKnownVersion(cursor);
  const layout = readLayout(cursor, version);
  const contents = layout.tables.map((found, kind) =>
    found === undefined || kind === table.metadata ? new Uint8Array() : bytes.subarray(found.start, found.end),
  );
  return [bytes.subarray(0, 8), ...contents, bytes.subarray(layout.contentEnd)];
}
