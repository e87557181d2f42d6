import { hash } from "node:crypto";

/** SHA-256 of bytes, or of a string's UTF-8, as 32 bytes. */
export function sha256(data: Uint8Array | string): Uint8Array {
  return hash("sha256", data, "buffer");
}

/** SHA-256 as 64 lower-case hex digits. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash("sha256", data, "hex");
}
