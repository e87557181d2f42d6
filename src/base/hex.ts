const DIGITS = /^(?:[0-9a-fA-F]{2})*$/;

/** Bytes as lower-case hex, two digits a byte, no prefix. */
export function formatHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/**
 * Hex text to bytes, or undefined when the text is not an even number of hex digits.
 * One leading `0x` is accepted. Buffer alone would silently stop at the first bad digit.
 */
export function parseHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  return DIGITS.test(digits) ? new Uint8Array(Buffer.from(digits, "hex")) : undefined;
}
