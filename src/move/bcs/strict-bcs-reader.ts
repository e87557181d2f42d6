import { BcsReader } from "@mysten/bcs";
import { textOf } from "../../base/bytes.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** An input of at most this many bytes is converted to text once; its strings are then slices of that text. */
const SLICED_MAX = 65_536;

/** The reader of @mysten/bcs with bounds checks on every read, returning copies instead of views. */
export class StrictReader extends BcsReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** The whole input as text if it is short and ASCII, as metadata nearly always is; else null. Undefined until first needed. */
  #ascii: string | null | undefined;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#bytes = bytes;
  }

  /** How many bytes have been read. */
  get offset(): number {
    return this.#at;
  }

  /** The bytes from `start` to the current position, as a view. */
  since(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.#at);
  }

  /** Text of `length` bytes of UTF-8. */
  readText(length: number): string {
    this.shift(length);
    const start = this.#at - length;
    if (this.#ascii === undefined) this.#ascii = this.#asText();
    return this.#ascii === null ? utf8.decode(this.#bytes.subarray(start, this.#at)) : this.#ascii.slice(start, this.#at);
  }

  #asText(): string | null {
    if (this.#bytes.length > SLICED_MAX) return null;
    for (let i = 0; i < this.#bytes.length; i++) if ((this.#bytes[i] as number) >= 0x80) return null;
    return textOf(this.#bytes);
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
   * A length or an enum's variant: at most 32 bits in its shortest form. A length above the bytes left is refused before anything
   * is allocated. Values up to 127 pass, since they may be variants.
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
