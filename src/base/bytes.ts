/** Order of two byte strings: negative, zero or positive; bytewise, a prefix before what it begins. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** Whether two byte strings are the same. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

/**
 * Order of two strings by their UTF-8 bytes, the order in which the node and SQLite's BINARY collation sort.
 * JavaScript's own `<` compares UTF-16 units, which differs above U+FFFF.
 */
export function compareUtf8(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}
