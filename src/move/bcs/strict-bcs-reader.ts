import { isAscii } from "node:buffer";
import { BcsReader } from "@mysten/bcs";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Up to this many bytes a text is kept of the whole input, of which its strings are slices. */
const SLICED_MAX = 65_536;

/** @mysten/bcs's reader, with every read held against what is left, and copies instead of views. */
export class StrictReader extends BcsReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** The whole input as text when it is short and ASCII, which metadata nearly always is; null when it is not. */
  #ascii: string | null | undefined;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#bytes = bytes;
  }

  /** How many bytes have been read. */
  get offset(): number {
    return this.#at;
  }

  /** What was read since `start`, as a view. */
  since(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.#at);
  }

  /** Text of so many bytes of UTF-8. */
  readText(length: number): string {
    this.shift(length);
    const start = this.#at - length;
    if (this.#ascii === undefined) this.#ascii = this.#asText();
    return this.#ascii === null ? utf8.decode(this.#bytes.subarray(start, this.#at)) : this.#ascii.slice(start, this.#at);
  }

  #asText(): string | null {
    const bytes = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
    return bytes.length <= SLICED_MAX && isAscii(bytes) ? bytes.toString("latin1") : null;
  }

  override shift(length: number): this {
    const left = this.#bytes.length - this.#at;
    if (length > left) throw new TypeError(`${length} bytes wanted, ${left} left`);
    this.#at += length;
    return this;
  }

  override read8(): number {
    this.shift(1);
    return this.#bytes[this.#at - 1] as number;
  }

  override read16(): number {
    return this.read8() | (this.read8() << 8);
  }

  override read32(): number {
    return (this.read16() | (this.read16() << 16)) >>> 0;
  }

  override readBytes(length: number): Uint8Array {
    this.shift(length);
    return this.#bytes.slice(this.#at - length, this.#at);
  }

  /**
   * A length or an enum's variant, of at most 32 bits in its shortest form. Everything that is counted takes at least a
   * byte, so that a length beyond what is left is refused before anybody allocates for it; the small ones, which may be
   * variants, are let through.
   */
  override readULEB(): number {
    let value = 0;
    for (let i = 0; i < 5; i++) {
      const byte = this.read8();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte >= 0x80) continue;
      if ((byte === 0 && i > 0) || value > 0xffff_ffff) break;
      const left = this.#bytes.length - this.#at;
      if (value > left && value > 127) throw new TypeError(`a length of ${value} where ${left} bytes are left`);
      return value;
    }
    throw new TypeError("a length is not in its shortest form of at most 32 bits");
  }
}
