import { DecodeError } from "../../move/decode-error.ts";
import { Cursor } from "../../move/module/cursor.ts";
import { AnswerFault } from "../protocol/node-error.ts";

const LONGEST = 0x7fff_ffff;

/** Reads a whole BCS body with `read`. A body that ends too early, or has bytes after the value, is `bad_answer`. */
export function readBcsBody<T>(body: Uint8Array, read: (cursor: Cursor) => T): T {
  const cursor = new Cursor(body);
  try {
    const value = read(cursor);
    if (cursor.more) throw new AnswerFault("bad_answer", `${cursor.end - cursor.at} bytes after the BCS value`);
    return value;
  } catch (error) {
    if (error instanceof DecodeError)
      throw new AnswerFault("bad_answer", `the body is not the BCS it should be: ${error.message}`, {}, error);
    throw error;
  }
}

/** Bytes after their length, as a view of the body. */
export function readBytes(cursor: Cursor): Uint8Array {
  const length = cursor.uleb(LONGEST);
  const at = cursor.skip(length);
  return cursor.bytes.subarray(at, at + length);
}

/** UTF-8 text after its length in bytes. Bytes that are not UTF-8 become U+FFFD. */
export function readText(cursor: Cursor): string {
  const bytes = readBytes(cursor);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Eight bytes, little-endian. */
export function readU64(cursor: Cursor): bigint {
  const at = cursor.skip(8);
  return Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset + at, 8).readBigUInt64LE();
}
