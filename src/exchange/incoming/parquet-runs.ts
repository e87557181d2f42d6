/** Checks a list of runs (RLE and bit-packed): `count` values of `width` bits and not more, perhaps fewer with `mayLack`. The library takes a run's length as it is. @throws Error that says what is wrong */
export function checkRuns(bytes: Uint8Array, start: number, width: number, count: number, { mayLack = false, paddingMax = 7 } = {}): void {
  let at = start;
  for (let seen = 0; seen < count && !(mayLack && at >= bytes.length); ) {
    let header = 0;
    for (let i = 0; ; i++) {
      const byte = bytes[at++];
      if (byte === undefined || i === 5) throw new Error("runs that end too early");
      header += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) break;
    }
    const isBitPacked = header % 2 === 1;
    const length = Math.floor(header / 2);
    const values = isBitPacked ? length * 8 : length;
    // The last group of eight may be filled up.
    if (values === 0 || seen + values > count + (isBitPacked ? paddingMax : 0))
      throw new Error(`a run of ${values} values where ${count - seen} are left`);
    at += isBitPacked ? length * width : Math.ceil(width / 8);
    if (at > bytes.length) throw new Error("runs that end too early");
    seen += values;
  }
}

/** Whether a number of the file is a count of at most `max`. */
export function isCount(value: number | undefined, max: number): boolean {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= max;
}
