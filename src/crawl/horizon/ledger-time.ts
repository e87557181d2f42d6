/** A ledger version with its time, as a node told it of its head. */
export type TimeMark = { readonly version: bigint; readonly timestampUsec: bigint };

/** An estimated version for a moment, and how far that version's own time may be from the moment. */
export type VersionEstimate = { readonly version: bigint; readonly errorMs: number };

/** Where rates are not known to differ, an estimate is taken to be off by this share of its distance to the nearest mark. */
const UNKNOWN_SPREAD = 0.25;

/** Marks closer than this tell no rate. */
const APART_USEC = 5_000_000n;

/**
 * Which ledger version stood at a moment, from marks. No operation of a node tells the time of an older version, so it is
 * estimated: on the line between the marks around the moment; before the first or after the last, along the line through
 * all of them. The error is the distance to the nearest mark times how much the rate between marks has varied.
 */
export class LedgerTime {
  readonly #marks: readonly TimeMark[];
  readonly #spread: number;

  /** Undefined when the marks tell no rate: fewer than two, or all of one moment. */
  static from(marks: readonly TimeMark[]): LedgerTime | undefined {
    const apart: TimeMark[] = [];
    for (const mark of [...marks].sort((a, b) => (a.version < b.version ? -1 : 1))) {
      const last = apart.at(-1);
      if (last === undefined || (mark.timestampUsec - last.timestampUsec >= APART_USEC && mark.version > last.version)) apart.push(mark);
    }
    return apart.length < 2 ? undefined : new LedgerTime(apart);
  }

  private constructor(marks: readonly TimeMark[]) {
    this.#marks = marks;
    const rates = marks.slice(1).map((mark, index) => rateBetween(marks[index] as TimeMark, mark));
    const overall = rateBetween(marks[0] as TimeMark, marks.at(-1) as TimeMark);
    const spread = (Math.max(...rates) - Math.min(...rates)) / overall;
    this.#spread = rates.length < 3 ? Math.max(UNKNOWN_SPREAD, spread) : spread;
  }

  /** The version that stood at a moment, in milliseconds since 1970; negative versions come out as 0. */
  versionAt(ms: number): VersionEstimate {
    const usec = BigInt(Math.round(ms)) * 1000n;
    const marks = this.#marks;
    const after = marks.findIndex((mark) => mark.timestampUsec >= usec);
    const isBetween = after > 0;
    const [from, to] = isBetween
      ? [marks[after - 1] as TimeMark, marks[after] as TimeMark]
      : [marks[0] as TimeMark, marks.at(-1) as TimeMark];
    const base = isBetween || after === 0 ? from : to;
    const rise = ((usec - base.timestampUsec) * (to.version - from.version)) / (to.timestampUsec - from.timestampUsec);
    const version = base.version + rise;
    const distance = Math.min(...[from, to].map((mark) => Math.abs(Number(usec - mark.timestampUsec)) / 1000));
    return { version: version < 0n ? 0n : version, errorMs: Math.ceil(distance * this.#spread) };
  }
}

/** Versions a microsecond. */
function rateBetween(from: TimeMark, to: TimeMark): number {
  return Number(to.version - from.version) / Number(to.timestampUsec - from.timestampUsec);
}
