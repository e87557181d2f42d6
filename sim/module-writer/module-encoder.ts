import { table } from "../../src/core/move/module/tables.ts";

/** Bytes under construction. */
export class ByteSink {
  private readonly parts: number[] = [];

  /** Appends bytes. */
  bytes(bytes: Iterable<number>): this {
    for (const byte of bytes) this.parts.push(byte);
    return this;
  }

  /** Appends one byte. */
  u8(value: number): this {
    this.parts.push(value & 0xff);
    return this;
  }

  /** Appends two bytes, little-endian. */
  u16(value: number): this {
    return this.u8(value).u8(value >> 8);
  }

  /** Appends a number in base 128, in its shortest form. */
  uleb(value: number | bigint): this {
    if (value < 0x80) return this.u8(Number(value));
    let rest = BigInt(value);
    for (; rest > 0x7fn; rest >>= 7n) this.u8(Number(rest & 0x7fn) | 0x80);
    return this.u8(Number(rest));
  }

  /** Appends a length and the bytes of a text in UTF-8. */
  text(text: string): this {
    const bytes = Buffer.from(text, "utf8");
    return this.uleb(bytes.length).bytes(bytes);
  }

  /** What was appended. */
  done(): Uint8Array {
    return Uint8Array.from(this.parts);
  }
}

/** The rows of a module's tables, by the table's name; each row is its bytes. */
export type TableRows = Partial<Record<keyof typeof table, readonly Uint8Array[]>>;

/** Puts tables together to a module, in the order of their kinds, without empty ones. Nothing is checked, so wrong modules can be made. */
export function encodeModule(version: number, rows: TableRows, selfIndex = 0): Uint8Array {
  const tables = Object.entries(table)
    .map(([name, kind]) => ({ kind, bytes: concat(rows[name as keyof typeof table] ?? []) }))
    .filter(({ bytes }) => bytes.length > 0);
  const flavored = version >= 7 ? version | 0x0a00_0000 : version;
  const sink = new ByteSink()
    .bytes([0xa1, 0x1c, 0xeb, 0x0b])
    .u16(flavored)
    .u16(flavored >>> 16)
    .uleb(tables.length);
  let offset = 0;
  for (const { kind, bytes } of tables) {
    sink.u8(kind).uleb(offset).uleb(bytes.length);
    offset += bytes.length;
  }
  for (const { bytes } of tables) sink.bytes(bytes);
  return sink.uleb(selfIndex).done();
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
