/**
 * Runs `work` for each item, at most `width` at a time, and reads no further ahead. After `isStopped` or an error it takes no
 * more, waits for what is in hand, and throws the first error.
 */
export async function forEachConcurrent<T>(
  source: AsyncIterable<T> | Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
  isStopped: () => boolean = () => false,
): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  const isOver = (): boolean => failure !== undefined || isStopped();
  /** A generator answers its readers one after the other, so that none takes an item once another lane has failed. */
  async function* items(): AsyncGenerator<T> {
    for await (const item of source) {
      if (isOver()) return;
      yield item;
      if (isOver()) return;
    }
  }
  const shared = items();
  const lane = async (): Promise<void> => {
    for (;;) {
      try {
        const next = await shared.next();
        if (next.done) return;
        await work(next.value);
      } catch (error) {
        // The generator ends with the next item that is asked for, and closes its source.
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  if (failure) throw failure.error;
}

/** Runs what it is given, at most `places` at a time, in the order in which it was given: where one is free, before the call returns. */
export function limitConcurrency(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = places;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** Keeps the answers of a question, at most `most` of them, and asks again only what it has no answer for, or what failed. */
export function memoize<Asked extends readonly unknown[], Answer>(
  most: number,
  keyOf: (...asked: Asked) => string,
  ask: (...asked: Asked) => Promise<Answer>,
): (...asked: Asked) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>();
  return (...asked) => {
    const key = keyOf(...asked);
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = ask(...asked);
    if (known.size >= most) known.clear();
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    return answer;
  };
}

/** The same for each of several objects, such as archives: what is kept of one goes with it. */
export function memoizeOf<Of extends object, Asked extends readonly unknown[], Answer>(
  most: number,
  keyOf: (...asked: Asked) => string,
  ask: (of: Of, ...asked: Asked) => Promise<Answer>,
): (of: Of, ...asked: Asked) => Promise<Answer> {
  const askers = new WeakMap<Of, (...asked: Asked) => Promise<Answer>>();
  return (of, ...asked) => {
    const asker = askers.get(of) ?? memoize(most, keyOf, (...own: Asked) => ask(of, ...own));
    askers.set(of, asker);
    return asker(...asked);
  };
}

/** Closes `resource` where the block of its `await using` ends, be it by an error. */
export function closing<T extends { readonly close: () => Promise<void> }>(resource: T): T & AsyncDisposable {
  return Object.assign(resource, { [Symbol.asyncDispose]: () => resource.close() });
}
