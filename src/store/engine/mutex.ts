/** A right that one holder has at a time; the others get it in the order in which they asked. */
export type Mutex = {
  readonly isFree: () => boolean;
  /** Does a piece of work when the ones before it are done. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
};

/** A mutex that nobody holds. */
export function createMutex(): Mutex {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    isFree: () => waiting === 0,
    run: (work) => {
      const before = last;
      waiting++;
      const done = (waiting === 1 ? work() : before.then(work)).finally(() => waiting--);
      last = done.catch(() => {});
      return done;
    },
  };
}
