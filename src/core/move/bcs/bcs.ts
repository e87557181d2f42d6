import { BcsReader, BcsType, bcs } from "@mysten/bcs";
import { compareBytes } from "../../base/bytes.ts";
import { DecodeError } from "../decode-error.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The reader of @mysten/bcs with bounds checks on every read, returning copies instead of views. */
export class StrictReader extends BcsReader {
  readonly #bytes: Uint8Array;
  #at = 0;

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
    return utf8.decode(this.#bytes.subarray(this.#at - length, this.#at));
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

/**
 * Reads one BCS value `what` of `schema` strictly, sharing no memory. @mysten/bcs 2.1.2 alone ignores what follows, reads past a
 * view's end, allocates before it checks, and throws many classes. @throws DecodeError and nothing else
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

/** Replaces the library's string type, which creates a text decoder and copies the bytes for every string. */
const string: BcsType<string> = new BcsType<string>({
  name: "string",
  read: (reader) => (reader as StrictReader).readText(reader.readULEB()),
  write: (value, writer) => {
    const bytes = new TextEncoder().encode(value);
    writer.writeULEB(bytes.length).writeBytes(bytes);
  },
});

/** Replaces the library's u64, which is decimal text, converted by way of hex text. */
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

/** A map with unique keys in the order of their serialized bytes, as Rust's reader wants. Source: the `bcs` crate, NonCanonicalMap. */
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

function struct<T extends object>(name: string, fields: { readonly [K in keyof T]: BcsType<T[K]> }): BcsType<T> {
  return bcs.struct(name, fields as never) as unknown as BcsType<T>;
}

/** A length and that many values. */
function vector<T>(item: BcsType<T>): BcsType<readonly T[]> {
  return bcs.vector(item) as unknown as BcsType<readonly T[]>;
}

/** Building blocks of schemas for `readBcs`. u64 is a bigint. */
export const bcsTypes = { u8: bcs.u8(), bool: bcs.bool(), u64, string, vector, struct, map } as const;
