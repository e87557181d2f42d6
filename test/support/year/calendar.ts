/** What kind of a day it is for whoever runs the night. */
export type DayKind = "night" | "missed" | "outage" | "full" | "swapped" | "faulty" | "reset";

/** A year of two nights a week, and what happens in it. Days are numbered from 1. */
export type Calendar = {
  readonly days: number;
  /** The days on which a night is due, and what becomes of it. */
  readonly nights: ReadonlyMap<number, DayKind>;
  /** From this day on another ledger is behind the node's address. */
  readonly resetDay: number;
  /** From this day on nights are run on another database. */
  readonly newDatabaseDay: number;
};

/** Weeks of a year, two nights each. `weeks` 52 makes a hundred nights that run, and four that are missed. */
export function yearCalendar(weeks: number): Calendar {
  const nights = new Map<number, DayKind>();
  for (let week = 0; week < weeks; week++) {
    nights.set(week * 7 + 2, "night");
    nights.set(week * 7 + 5, "night");
  }
  const due = [...nights.keys()];
  const at = (share: number): number => Math.floor(due.length * share);
  const set = (index: number, kind: DayKind): void => void nights.set(due[index] as number, kind);
  set(at(0.12), "missed");
  // Missed twice in a row: by the next night, some of the days between have left the node's window.
  for (const n of [0, 1, 2]) set(at(0.3) + n, "missed");
  set(at(0.2), "outage");
  set(at(0.4), "full");
  for (let n = 0; n < at(0.1); n++) set(at(0.5) + n, "swapped");
  set(at(0.7), "faulty");
  const resets = [at(0.85), at(0.85) + 1];
  for (const index of resets) set(index, "reset");
  const resetDay = due[resets[0] as number] as number;
  return { days: weeks * 7, nights, resetDay, newDatabaseDay: (due[resets[1] as number] as number) + 1 };
}
