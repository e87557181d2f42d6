import type { Kind } from "../../schema/kinds.ts";
import { notExact } from "../errors.ts";

/** Signature, flags and header extension length of COPY's binary format (postgresql.org/docs/current/sql-copy.html, "Binary Format"). */
const HEADER = Buffer.from("5047434f50590aff0d0a000000000000000000", "hex");
/** A row of −1 fields ends it. */
const TRAILER = -1;
const NULL = -1;

const CHUNK_BYTES = 65_536;
/** Few rows are larger. */
const ROW_BYTES = 4_096;
/** What a field that is no text or bytes takes at most, its length included: a numeric of 20 digits has 4 + 8 + 5 × 2 bytes. */
const FIXED_BYTES_MAX = 32;
/** UTF-8 takes up to three bytes for what is one character of JavaScript. */
const BYTES_OF_CHARACTER = 3;

/** 1 January 2000, from which PostgreSQL counts microseconds. */
const EPOCH_MS = 946_684_800_000;
const TWO_32 = 2 ** 32;
const NUMERIC_BASE = 10_000n;

/** Rows in COPY's binary format. A server reads them with less work than text: it looks for no ends and escapes, and parses no digits. */
export class BinaryRows {
  readonly #kinds: readonly Kind[];
  #bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  #end = 0;

  constructor(kinds: readonly Kind[]) {
    this.#kinds = kinds;
    this.#end = HEADER.copy(this.#bytes);
  }

  /** Adds a row, whose cells are as `BulkRows` says, and begin at a place in the list. */
  add(cells: readonly unknown[], from = 0): void {
    const kinds = this.#kinds;
    this.#reserve(2);
    this.#end = this.#bytes.writeInt16BE(kinds.length, this.#end);
    for (let i = 0; i < kinds.length; i++) this.#addCell(cells[from + i], kinds[i] as Kind);
  }

  /** Whether there is enough for a chunk: the next row would rarely fit. */
  get isFull(): boolean {
    return this.#end >= CHUNK_BYTES - ROW_BYTES;
  }

  /** What was added since the last chunk. */
  take(): Buffer {
    const chunk = this.#bytes.subarray(0, this.#end);
    this.#bytes = Buffer.allocUnsafe(CHUNK_BYTES);
    this.#end = 0;
    return chunk;
  }

  /** The last chunk. */
  finish(): Buffer {
    this.#reserve(2);
    this.#end = this.#bytes.writeInt16BE(TRAILER, this.#end);
    return this.take();
  }

  #addCell(value: unknown, kind: Kind): void {
    if (value === null || value === undefined) {
      this.#reserve(4);
      this.#end = this.#bytes.writeInt32BE(NULL, this.#end);
      return;
    }
    if (kind === "text" || kind === "json") this.#addText(String(value));
    else if (kind === "int" || kind === "version") this.#addInteger(value as number | bigint | string);
    else if (kind === "bytes") this.#addBytes(typeof value === "string" ? Buffer.from(value, "hex") : (value as Uint8Array));
    else if (kind === "bool") this.#addFlag(value !== false && value !== 0);
    else if (kind === "time") this.#addInteger(BigInt(Math.floor(value as number) - EPOCH_MS) * 1000n);
    else this.#addNumeric(BigInt(value as bigint | number | string));
  }

  #addFlag(flag: boolean): void {
    this.#reserve(FIXED_BYTES_MAX);
    this.#end = this.#bytes.writeInt32BE(1, this.#end);
    this.#end = this.#bytes.writeUInt8(flag ? 1 : 0, this.#end);
  }

  #addText(text: string): void {
    this.#reserve(4 + text.length * BYTES_OF_CHARACTER);
    const length = this.#bytes.write(text, this.#end + 4);
    this.#bytes.writeInt32BE(length, this.#end);
    this.#end += 4 + length;
  }

  #addBytes(bytes: Uint8Array): void {
    this.#reserve(4 + bytes.length);
    this.#bytes.writeInt32BE(bytes.length, this.#end);
    this.#bytes.set(bytes, this.#end + 4);
    this.#end += 4 + bytes.length;
  }

  #addInteger(value: number | bigint | string): void {
    this.#reserve(FIXED_BYTES_MAX);
    this.#end = this.#bytes.writeInt32BE(8, this.#end);
    if (typeof value !== "number") {
      this.#end = this.#bytes.writeBigInt64BE(BigInt(value), this.#end);
      return;
    }
    if (!Number.isSafeInteger(value)) throw notExact(value);
    const high = Math.floor(value / TWO_32);
    this.#end = this.#bytes.writeInt32BE(high, this.#end);
    this.#end = this.#bytes.writeUInt32BE(value - high * TWO_32, this.#end);
  }

  /** A numeric without decimals: digit count to the base 10,000, weight, sign, scale, digits (`numeric_recv` in PostgreSQL's numeric.c). */
  #addNumeric(value: bigint): void {
    if (value < 0n) throw new RangeError(`${value} is not a u64.`);
    const digits: number[] = [];
    for (let rest = value; rest > 0n; rest /= NUMERIC_BASE) digits.unshift(Number(rest % NUMERIC_BASE));
    this.#reserve(FIXED_BYTES_MAX);
    this.#end = this.#bytes.writeInt32BE(8 + 2 * digits.length, this.#end);
    for (const part of [digits.length, Math.max(digits.length - 1, 0), 0, 0, ...digits])
      this.#end = this.#bytes.writeInt16BE(part, this.#end);
  }

  /** Makes room for so many bytes more. */
  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
