const singleBytes = new TextDecoder("latin1");

/** Up to this length characters are quicker than a decoder: names, addresses and digests lie below it. */
const SHORT = 64;

/** Bytes as text, a character each: ASCII as it is, and other bytes as characters that are no ASCII. */
export function textOf(bytes: Uint8Array): string {
  return bytes.length <= SHORT ? characters(bytes) : singleBytes.decode(bytes);
}

/** Applied, since a spread goes through an iterator. */
function characters(codes: ArrayLike<number>): string {
  return String.fromCharCode.apply(null, codes as number[]);
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
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Order of two strings by UTF-8 bytes, as the node and SQLite's BINARY sort. JavaScript's `<` (UTF-16 units) differs above U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  return ASCII.test(a) && ASCII.test(b) ? (a < b ? -1 : 1) : compareBytes(utf8.encode(a), utf8.encode(b));
}

const ASCII = /^[\0-\x7f]*$/;
const utf8 = new TextEncoder();

const DIGITS = /^(?:[0-9a-fA-F]{2})*$/;
const CODES = new TextEncoder().encode("0123456789abcdef");

/** Bytes as lower-case hex, two digits a byte, no prefix. */
export function formatHex(bytes: Uint8Array): string {
  const codes = new Uint8Array(bytes.length * 2);
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    codes[2 * i] = CODES[byte >> 4] as number;
    codes[2 * i + 1] = CODES[byte & 0xf] as number;
  }
  return textOf(codes);
}

/** Hex text to bytes, or undefined when the text is not an even number of hex digits. One leading `0x` is accepted. */
export function parseHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  if (!DIGITS.test(digits)) return undefined;
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = digit(digits, 2 * i) * 16 + digit(digits, 2 * i + 1);
  return bytes;
}

/** The value of a hex digit, by its ASCII code: 0-9 are 0x30 to 0x39, A-F and a-f end in 1 to 6. */
function digit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 0x40 ? code - 0x30 : (code & 0xf) + 9;
}
