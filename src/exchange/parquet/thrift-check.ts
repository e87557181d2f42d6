import { ParquetFault } from "./parquet-fault.ts";

/** Nesting of the structures in a Parquet footer; real ones have fewer than 8 levels. */
const DEPTH_MAX = 16;

// Types of Thrift's compact protocol. Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
const [BOOL_TRUE, BOOL_FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12];

/**
 * Checks one structure of Thrift's compact protocol (footer and page headers), whose lists and numbers the library believes, and
 * returns where it ends. @throws ParquetFault that says what is wrong
 */
export function checkThrift(bytes: Uint8Array, start: number): number {
  let at = start;
  const need = (count: number): void => {
    if (count > bytes.length - at) throw new ParquetFault(`${count} bytes wanted at ${at}, ${bytes.length - at} left`);
    at += count;
  };
  const varint = (lengthMax: number): number => {
    let value = 0;
    for (let i = 0; i < lengthMax; i++) {
      need(1);
      const byte = bytes[at - 1] as number;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new ParquetFault(`a number of more than ${lengthMax} bytes at ${at}`);
  };
  const element = (type: number, depth: number, isInList: boolean): void => {
    if (depth > DEPTH_MAX) throw new ParquetFault(`nested more than ${DEPTH_MAX} deep`);
    switch (type) {
      case BOOL_TRUE:
      case BOOL_FALSE:
        // Outside of lists the value is in the type.
        if (isInList) need(1);
        return;
      case BYTE:
        need(1);
        return;
      case I16:
      case I32:
        varint(5);
        return;
      case I64:
        varint(10);
        return;
      case DOUBLE:
        need(8);
        return;
      case BINARY:
        need(varint(5));
        return;
      case LIST: {
        need(1);
        const header = bytes[at - 1] as number;
        const count = header >> 4 === 15 ? varint(5) : header >> 4;
        if (count > bytes.length - at) throw new ParquetFault(`a list of ${count} where ${bytes.length - at} bytes are left`);
        for (let i = 0; i < count; i++) element(header & 0x0f, depth + 1, true);
        return;
      }
      case STRUCT:
        struct(depth + 1);
        return;
      default:
        throw new ParquetFault(`unknown type ${type} at ${at}`);
    }
  };
  const struct = (depth: number): void => {
    for (;;) {
      need(1);
      const header = bytes[at - 1] as number;
      if ((header & 0x0f) === 0) return;
      if (header >> 4 === 0) varint(5);
      element(header & 0x0f, depth, false);
    }
  };
  struct(1);
  return at;
}
