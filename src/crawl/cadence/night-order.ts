/** An account that a night may read. `age` is the time since it was last read, in the unit of its rate; undefined when it never was. */
export type Candidate = {
  readonly rate: number;
  readonly age: number | undefined;
  readonly requests: number;
  /** Whether it held nothing whenever it was read: it gives way to others where the budget is too small for a round in time. */
  readonly isParked?: boolean;
};

/** What a night has. */
export type NightBudget = {
  /** Requests that it may use. */
  readonly requests: number;
  /** Every account is read at least once in this time, as far as the budget allows. */
  readonly maxAge: number;
  /** How long until the next night. */
  readonly nightly: number;
  /** A change is to be known within this time: what changed longer ago is late already, whenever it is read. */
  readonly within: number;
};

/**
 * The accounts that a night reads, in order: those never read; those as old as `maxAge`; of the others the oldest, as many as it takes to go round all
 * of them within `maxAge`, so that they do not all fall due in one night; then those that most likely changed since they were read, and not so long ago
 * that it is late already, per request. What does not fit the budget any more is passed over. Parked accounts come
 * after all others of the second and the third part.
 */
export function planReads<T extends Candidate>(candidates: readonly T[], { requests, maxAge, nightly, within }: NightBudget): T[] {
  const chosen = new Set<T>();
  let left = requests;
  const take = (list: readonly T[], limit = Number.POSITIVE_INFINITY): void => {
    let spent = 0;
    for (const candidate of list) {
      if (left <= 0 || spent >= limit) return;
      if (chosen.has(candidate) || candidate.requests > left) continue;
      chosen.add(candidate);
      left -= candidate.requests;
      spent += candidate.requests;
    }
  };
  const byAge = candidates.filter(({ age }) => age !== undefined).sort((a, b) => (b.age as number) - (a.age as number));
  take(candidates.filter(({ age }) => age === undefined));
  const groups = [byAge.filter(({ isParked }) => !isParked), byAge.filter(({ isParked }) => isParked)];
  for (const group of groups) take(group.filter(({ age }) => (age as number) >= maxAge));
  for (const group of groups) take(group, Math.ceil((costOf(group) * nightly) / maxAge));
  const worth = ({ rate, age = within, requests }: Candidate): number => (rate * Math.min(age, within)) / requests;
  take(candidates.toSorted((a, b) => worth(b) - worth(a) || (b.age ?? 0) - (a.age ?? 0)));
  return [...chosen];
}

function costOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { requests }) => sum + requests, 0);
}
