/** An account that a night may read. `age` is the time since it was last read, in the unit of its rate; undefined when it never was. */
export type Candidate = { readonly rate: number; readonly age: number | undefined; readonly requests: number };

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
 * that it is late already, per request. What does not fit the budget any more is passed over.
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
  take(byAge.filter(({ age }) => (age as number) >= maxAge));
  const round = candidates.reduce((sum, candidate) => sum + candidate.requests, 0);
  take(byAge, Math.ceil((round * nightly) / maxAge));
  const worth = ({ rate, age = within, requests }: Candidate): number => (rate * Math.min(age, within)) / requests;
  take(candidates.toSorted((a, b) => worth(b) - worth(a) || (b.age ?? 0) - (a.age ?? 0)));
  return [...chosen];
}
