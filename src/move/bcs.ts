import { isAscii } from "node:buffer";
import { BcsReader, BcsType, bcs } from "@mysten/bcs";
import { compareBytes } from "../base/bytes.ts";
import { ADDRESS_BYTES, type Address, addressBytes, formatAddress } from "./address.ts";
import { DecodeError } from "./decode-error.ts";

/**
 * Reads BCS as the node writes it, through @mysten/bcs with its sharp edges off. Left alone, version 2.1.2 ignores bytes
 * after the value, reads lengths past the end of a view, allocates for a length before it looks whether the bytes are
 * there, spends quadratic time on an endless length, hands out views of the input and throws errors of every kind.
 *
 * `bytes` must hold one value of `schema` and nothing after it; `what` names it in the error. The value shares no memory
 * with `bytes`. Throws `DecodeError` and nothing else.
 */
export function readBcs<T>(schema: { readonly read: (reader: BcsReader) => T }, bytes: Uint8Array, what: string): T {
  const reader = new StrictReader(bytes);
  let value: T;
  try {
    value = schema.read(reader);
  } catch (cause) {
    throw new DecodeError("malformed", (cause as Error).message, reader.offset, { what, cause });
  }
  if (reader.offset !== bytes.length) {
    throw new DecodeError("malformed", `${bytes.length - reader.offset} bytes after the value`, reader.offset, { what });
  }
  return value;
}

/** Writes a value as BCS. */
export function writeBcs<T>(schema: BcsType<T>, value: T): Uint8Array {
  return schema.serialize(value).toBytes();
}

/** The library's strings make a decoder and a copy of their bytes each. */
const string: BcsType<string> = new BcsType<string>({
  name: "string",
  read: (reader) => (reader as StrictReader).readText(reader.readULEB()),
  write: (value, writer) => {
    const bytes = Buffer.from(value, "utf8");
    writer.writeULEB(bytes.length).writeBytes(bytes);
  },
});

/** The library's u64 comes out as decimal text, by way of hex text. */
const u64: BcsType<bigint> = new BcsType<bigint>({
  name: "u64",
  read: (reader) => {
    const low = reader.read32();
    const high = reader.read32();
    return high === 0 ? BigInt(low) : (BigInt(high) << 32n) | BigInt(low);
  },
  write: (value, writer) => {
    writer.write64(value);
  },
  serializedSize: () => 8,
});

const address: BcsType<Address> = bcs.bytes(ADDRESS_BYTES).transform({
  name: "address",
  input: (value: Address) => addressBytes(value),
  output: (bytes) => formatAddress(bytes),
}) as unknown as BcsType<Address>;

const bytes = bcs.byteVector() as unknown as BcsType<Uint8Array>;

/**
 * A map, whose keys must stand in the order of their serialized bytes, none twice: Rust's reader refuses any other.
 * Source: the `bcs` crate, error NonCanonicalMap.
 */
function map<K, V>(key: BcsType<K>, value: BcsType<V>): BcsType<Map<K, V>> {
  const plain = bcs.map(key, value) as unknown as BcsType<Map<K, V>>;
  return new BcsType<Map<K, V>>({
    name: plain.name,
    read: (reader) => {
      const result = new Map<K, V>();
      const count = reader.readULEB();
      let previous: Uint8Array | undefined;
      for (let i = 0; i < count; i++) {
        const { offset } = reader as StrictReader;
        const entryKey = key.read(reader);
        const keyBytes = (reader as StrictReader).since(offset);
        if (previous && compareBytes(previous, keyBytes) >= 0) throw new TypeError("the keys of a map are out of order");
        previous = keyBytes;
        result.set(entryKey, value.read(reader));
      }
      return result;
    },
    write: (value, writer) => plain.write(value, writer),
  });
}

/** An object of fields, in the order given. */
function struct<T extends object>(name: string, fields: { readonly [K in keyof T]: BcsType<T[K]> }): BcsType<T> {
  return bcs.struct(name, fields as never) as unknown as BcsType<T>;
}

/** A length and so many values. */
function vector<T>(item: BcsType<T>): BcsType<readonly T[]> {
  return bcs.vector(item) as unknown as BcsType<readonly T[]>;
}

/** A value or null. */
function option<T>(item: BcsType<T>): BcsType<T | null> {
  return bcs.option(item) as unknown as BcsType<T | null>;
}

/** The parts that schemas for `readBcs` and `writeBcs` are made of. u64 is a bigint; bytes are copies. */
export const bcsTypes = { u8: bcs.u8(), bool: bcs.bool(), u64, string, bytes, address, option, vector, struct, map } as const;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Up to this many bytes a text is kept of the whole input, of which its strings are slices. */
const SLICED_MAX = 65_536;

/** The library's reader, with every read held against what is left, and copies instead of views. */
class StrictReader extends BcsReader {
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
