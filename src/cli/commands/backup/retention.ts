import type { Retention } from "../../options/shared-flags.ts";

/** A rule with what two days have in common that count as one. */
const rules: readonly (readonly [option: keyof Retention, word: string, period: (day: string) => string])[] = [
  ["keep", "newest", (day) => day],
  ["keepDaily", "daily", (day) => day],
  ["keepWeekly", "weekly", mondayOf],
  ["keepMonthly", "monthly", (day) => day.slice(0, 6)],
  ["keepYearly", "yearly", (day) => day.slice(0, 4)],
];

/** Whether anything is asked for; nothing asked for keeps everything. */
export function asksToForget(retention: Retention): boolean {
  return rules.some(([option]) => retention[option] !== undefined);
}

/** The days (20260701) whose backups are kept, each with the rules that keep it. A backup is kept by one rule or by several. */
export function keptDays(days: readonly string[], retention: Retention): ReadonlyMap<string, readonly string[]> {
  const newestFirst = days.toSorted().reverse();
  const kept = new Map<string, string[]>();
  for (const [option, word, period] of rules) {
    const newestOf = new Map<string, string>();
    for (const day of newestFirst) if (!newestOf.has(period(day))) newestOf.set(period(day), day);
    for (const day of [...newestOf.values()].slice(0, retention[option] ?? 0)) kept.set(day, [...(kept.get(day) ?? []), word]);
  }
  return kept;
}

/** The Monday of a day's week, in milliseconds since 1970, as text. */
function mondayOf(day: string): string {
  const date = new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`);
  return `${date.getTime() - ((date.getUTCDay() + 6) % 7) * 86_400_000}`;
}
