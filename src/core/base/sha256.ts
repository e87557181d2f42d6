import { hash } from "node:crypto";

/** SHA-256 of bytes, or of a string's UTF-8, as 32 bytes. */
export function sha256(data: Uint8Array | string): Uint8Array {
  // As characters: a buffer would be memory outside of the heap, a third of the cost of a module's digest.
  const characters = hash("sha256", data, "binary");
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** SHA-256 as 64 lower-case hex digits. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash("sha256", data, "hex");
}
