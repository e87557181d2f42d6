import { compare } from "../../base/lists.ts";
import type { Engine } from "../../db/engine/engine.ts";
import { rowOf, version } from "../../db/engine/row-shape.ts";
import { u64 } from "../../db/schema/sql/functions.ts";
import { sql } from "../../db/schema/sql/sql.ts";
import type { Head } from "../../node/protocol/ledger-head.ts";

export type TimeMark = ReturnType<typeof mark.read>;

const mark = rowOf({ version: version("head_version"), timestampUsec: version("min(usec)") });
const marks = sql`SELECT ${mark.columns} FROM (
    SELECT head_version, ${u64("timestamp_usec")} AS usec FROM _head_samples
    UNION ALL SELECT head_version, ${u64("head_timestamp_usec")} FROM _all_snapshots WHERE head_timestamp_usec <> '0'
  ) heads GROUP BY head_version ORDER BY head_version`;

const MARKS_MAX = 512;

/** Versions with their times, as nodes told them of their heads; some hundred at most, spread over all that is known. */
async function readMarks(engine: Engine): Promise<TimeMark[]> {
  const rows = await engine.all(marks);
  const step = Math.ceil(rows.length / MARKS_MAX);
  return rows.filter((_, index) => index % step === 0 || index === rows.length - 1).map(mark.read);
}

/** The estimated version of a moment, and by how much that version's own time may differ from the moment. */
export type VersionEstimate = { readonly version: bigint; readonly errorMs: number };

/** With too few marks to tell how rates vary, the error of an estimate is this share of its distance to the nearest mark. */
const UNKNOWN_SPREAD = 0.25;

/** Marks closer together than this do not tell a rate. */
const APART_USEC = 5_000_000n;

/**
 * Estimates which version was the newest at a moment, between the marks around it, or on the line through the first and last
 * mark. The error is the distance to the nearest mark times the variation of the rate.
 */
export class LedgerTime {
  readonly #marks: readonly TimeMark[];
  readonly #spread: number;

  /** From all that nodes have told, and from these heads. `engine` is undefined where there is no database yet. */
  static async read(engine: Engine | undefined, ...heads: readonly Head[]): Promise<LedgerTime | undefined> {
    const given = heads.map(({ ledgerVersion, timestampUsec }) => ({ version: ledgerVersion, timestampUsec }));
    return LedgerTime.from([...((await (engine && readMarks(engine))) ?? []), ...given]);
  }

  /** Undefined when the marks do not tell a rate: fewer than two, or all of one moment. */
  static from(marks: readonly TimeMark[]): LedgerTime | undefined {
    const apart: TimeMark[] = [];
    for (const mark of marks.toSorted((a, b) => compare(a.version, b.version))) {
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

  /** About how many versions are made in that number of milliseconds, at the average rate of all marks. */
  versionsIn(ms: number): bigint {
    return BigInt(Math.round(rateBetween(this.#marks[0] as TimeMark, this.#marks.at(-1) as TimeMark) * ms * 1000));
  }

  /** The newest version at a moment, given in milliseconds since 1970; 0 before the first version. */
  versionAt(ms: number): VersionEstimate {
    const usec = BigInt(Math.round(ms)) * 1000n;
    const { from, to, base } = this.#lineAt((mark) => mark.timestampUsec >= usec);
    const rise = ((usec - base.timestampUsec) * (to.version - from.version)) / (to.timestampUsec - from.timestampUsec);
    const version = base.version + rise;
    const distance = Math.min(...[from, to].map((mark) => Math.abs(Number(usec - mark.timestampUsec)) / 1000));
    return { version: version < 0n ? 0n : version, errorMs: Math.ceil(distance * this.#spread) };
  }

  /** About when a version was made, in milliseconds since 1970: between marks along the line through them, outside as `versionAt` does. */
  timeAt(version: bigint): number {
    const { from, to, base } = this.#lineAt((mark) => mark.version >= version);
    const rise = ((version - base.version) * (to.timestampUsec - from.timestampUsec)) / (to.version - from.version);
    return Number((base.timestampUsec + rise) / 1000n);
  }

  /** The line through the two marks around the place of which `isReached` tells; outside the marks, through the first and the last. */
  #lineAt(isReached: (mark: TimeMark) => boolean): { readonly from: TimeMark; readonly to: TimeMark; readonly base: TimeMark } {
    const marks = this.#marks;
    const after = marks.findIndex(isReached);
    const [from, to] =
      after > 0 ? [marks[after - 1] as TimeMark, marks[after] as TimeMark] : [marks[0] as TimeMark, marks.at(-1) as TimeMark];
    return { from, to, base: after >= 0 ? from : to };
  }
}

export type TimeOf = (version: bigint) => number;

/** The times of versions, from all that nodes told of their heads; each version is looked up once. */
export async function ledgerTimes(engine: Engine, head: Head): Promise<TimeOf> {
  const time = await LedgerTime.read(engine, head);
  const known = new Map<bigint, number>();
  return (version) => {
    // Without two heads that are apart nothing tells the ages of versions: they are taken to be of one moment.
    const ms = known.get(version) ?? time?.timeAt(version) ?? Number(head.timestampUsec / 1000n);
    known.set(version, ms);
    return ms;
  };
}

function rateBetween(from: TimeMark, to: TimeMark): number {
  return Number(to.version - from.version) / Number(to.timestampUsec - from.timestampUsec);
}
