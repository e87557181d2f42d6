import { DecodeError } from "../decode-error.ts";

// The largest allowed size of each part of a module. Source: aptos-core `third_party/move/move-binary-format/src/file_format_common.rs`
// (the `…_MAX` constants) and `move-core/types/src/value.rs` (variants), branch main, 2026.

/** The newest bytecode version this reader knows. */
export const BYTECODE_VERSION_MAX = 10;

/**
 * Bytes of a module: no chain stores a larger state item (`max_bytes_per_write_op` in aptos-core
 * `aptos-move/aptos-gas-schedule/src/gas_schedule/transaction.rs`). The largest real framework module has 29,892.
 */
export const MODULE_SIZE_MAX = 1 << 20;
/** Rows of a table: an index cannot name more, so further rows would only cost memory. */
export const TABLE_ROWS_MAX = 65_536;

export const TABLE_INDEX_MAX = 65_535;
/** Table headers of a module. */
export const TABLE_COUNT_MAX = 255;
/** A table's offset, and its length in bytes. */
export const TABLE_SIZE_MAX = 0xffff_ffff;

/** Bytes of an identifier. Chains hold a few longer ones from before the limit; today's nodes refuse those too. */
export const IDENTIFIER_SIZE_MAX = 255;
/** Bytes of a constant. */
export const CONSTANT_SIZE_MAX = 65_535;
/** Bytes of a metadata key, and of its value. */
export const METADATA_KEY_SIZE_MAX = 1_023;
export const METADATA_VALUE_SIZE_MAX = 65_535;

/** Types of one signature. */
export const SIGNATURE_SIZE_MAX = 255;
export const TYPE_DEPTH_MAX = 256;
/** Type parameters of one item, and arguments of one type. */
export const TYPE_PARAMETER_COUNT_MAX = 255;
/** A type parameter's index. The node's constant says 65536, but its u16 cannot hold that. */
export const TYPE_PARAMETER_INDEX_MAX = 65_535;

export const ACQUIRES_COUNT_MAX = 255;
/** Fields of a struct or of one variant. */
export const FIELD_COUNT_MAX = 255;
export const FIELD_OFFSET_MAX = 255;
export const VARIANT_COUNT_MAX = 127;
export const VARIANT_OFFSET_MAX = 127;

export const ACCESS_SPECIFIER_COUNT_MAX = 64;
export const FUNCTION_ATTRIBUTE_COUNT_MAX = 16;

export const INSTRUCTION_COUNT_MAX = 65_535;
/** A local variable's index; parameters count as locals. */
export const LOCAL_INDEX_MAX = 255;
/** Locals and parameters of one function together. */
export const LOCAL_COUNT_MAX = 255;

const EMPTY = "the bytes end too early";

/**
 * A position in the bytes of a module, limited to the range from `at` to `end` (offsets from the first byte). Every method
 * either reads and advances, or throws `DecodeError` with the absolute offset.
 */
export class Cursor {
  readonly bytes: Uint8Array;
  /** The next byte to read. */
  at: number;
  /** The first byte that may not be read. */
  readonly end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Whether bytes are left to read. */
  get more(): boolean {
    return this.at < this.end;
  }

  u8(): number {
    if (this.at >= this.end) this.fail(EMPTY);
    return this.bytes[this.at++] as number;
  }

  /** Two bytes, little-endian. */
  u16(): number {
    const low = this.u8();
    return low | (this.u8() << 8);
  }

  /** A base-128 number (ULEB128) of at most `max`, up to 2^32 - 1, in its shortest encoding only, as in the node's reader. */
  uleb(max: number): number {
    const at = this.at;
    // Nearly every number in a module is below 128.
    if (at < this.end) {
      const byte = this.bytes[at] as number;
      if (byte < 0x80) {
        if (byte > max) this.fail(`${byte} where at most ${max} is allowed`);
        this.at = at + 1;
        return byte;
      }
    }
    return this.longUleb(max);
  }

  /** Skips a base-128 number of at most 64 bits. Source: `read_uleb128_as_u64` in file_format_common.rs. */
  skipU64(): void {
    const start = this.at;
    for (let length = 1; length <= 10; length++) {
      const byte = this.u8();
      // The tenth byte holds bit 63 alone.
      if (length === 10 && byte > 1) break;
      if (byte < 0x80) {
        if (byte === 0 && length > 1) break;
        return;
      }
    }
    this.fail("a number is not in its shortest form of at most 64 bits", start);
  }

  /** A base-128 number of at most 64 bits. */
  u64(): bigint {
    const start = this.at;
    this.skipU64();
    let value = 0n;
    for (let at = this.at - 1; at >= start; at--) value = (value << 7n) | BigInt((this.bytes[at] as number) & 0x7f);
    return value;
  }

  /** Eight bytes, little-endian. */
  fixedU64(): bigint {
    const at = this.skip(8);
    const { buffer, byteOffset } = this.bytes;
    return new DataView(buffer, byteOffset + at, 8).getBigUint64(0, true);
  }

  /** The next number, which must be the index of one of `count` rows of the table called `name`. */
  index(count: number, name: string): number {
    const at = this.at;
    const index = this.uleb(TABLE_INDEX_MAX);
    if (index >= count) this.fail(`index ${index} into ${name}, of which there are ${count}`, at);
    return index;
  }

  /** The row of `table` that the next number names. */
  pick<T>(table: readonly T[], name: string): T {
    return table[this.index(table.length, name)] as T;
  }

  /** Skips `length` bytes and returns the offset of the first. */
  skip(length: number): number {
    const at = this.at;
    if (length > this.end - at) this.fail(`${length} bytes wanted, ${this.end - at} left`);
    this.at = at + length;
    return at;
  }

  /** Throws: the bytes are malformed at `offset`, by default the next byte. */
  fail(problem: string, offset = this.at): never {
    throw new DecodeError("malformed", problem, offset);
  }

  private longUleb(max: number): number {
    const start = this.at;
    this.skipU64();
    let value = 0;
    for (let at = this.at - 1; at >= start; at--) value = value * 128 + ((this.bytes[at] as number) & 0x7f);
    if (value > max) this.fail(`${value} where at most ${max} is allowed`, start);
    return value;
  }
}
