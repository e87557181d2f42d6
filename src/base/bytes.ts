const singleBytes = new TextDecoder("latin1");

/** Bytes as text, a character each: ASCII as it is, and other bytes as characters that are no ASCII. */
export function textOf(bytes: Uint8Array): string {
  return singleBytes.decode(bytes);
}

/** Order of two byte strings: negative, zero or positive; bytewise, a prefix before what it begins. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/** Order of two strings by UTF-8 bytes, as the node and SQLite's BINARY sort. JavaScript's `<` (UTF-16 units) differs above U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  return a === b ? 0 : compareBytes(utf8.encode(a), utf8.encode(b));
}

const utf8 = new TextEncoder();
