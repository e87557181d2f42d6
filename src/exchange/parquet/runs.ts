import { ParquetFault } from "./parquet-fault.ts";

/** Values that the last group of a list may be filled up with. Groups have eight; DuckDB fills up to 256. */
const PADDING_MAX = 255;

/**
 * Checks a list of runs (RLE and bit-packed): `count` values of `width` bits and not more, perhaps fewer with `mayLack`. The library
 * takes a run's length as it is.
 * @throws ParquetFault that says what is wrong
 */
export function checkRuns(bytes: Uint8Array, start: number, width: number, count: number, mayLack = false): void {
  let at = start;
  for (let seen = 0; seen < count && !(mayLack && at >= bytes.length); ) {
    let header = 0;
    for (let i = 0; ; i++) {
      const byte = bytes[at++];
      if (byte === undefined || i === 5) throw new ParquetFault("runs that end too early");
      header += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) break;
    }
    const isBitPacked = header % 2 === 1;
    const length = Math.floor(header / 2);
    const values = isBitPacked ? length * 8 : length;
    if (values === 0 || seen + values > count + (isBitPacked ? PADDING_MAX : 0))
      throw new ParquetFault(`a run of ${values} values where ${count - seen} are left`);
    at += isBitPacked ? length * width : Math.ceil(width / 8);
    if (at > bytes.length) throw new ParquetFault("runs that end too early");
    seen += values;
  }
}
