/** A number of places, each for one at a time; the others wait, in the order in which they came. One place is a mutex. */
export type Slots = {
  readonly enter: () => Promise<void>;
  readonly leave: () => void;
  /** Does a piece of work in a place. Where one is free it begins at once, before the call returns. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
};

export function createSlots(places: number): Slots {
  const waiting: (() => void)[] = [];
  let free = places;
  const enter = async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return { enter, leave, run };
}
