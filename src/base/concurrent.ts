/**
 * Runs `work` for each item of `source`, at most `width` at a time, never reading further ahead than that.
 *
 * Stops taking items once `isStopped` says so and then waits for what is in hand. When `work` throws, no further item is
 * taken, what is in hand is waited for, and the first error is thrown.
 */
export async function forEachConcurrent<T>(
  source: AsyncIterable<T> | Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const inHand = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const run = async (item: T): Promise<void> => {
    try {
      await work(item);
    } catch (error) {
      failure ??= { error };
    }
  };
  for await (const item of source) {
    if (failure || isStopped()) break;
    const task = run(item).finally(() => inHand.delete(task));
    inHand.add(task);
    if (inHand.size >= width) await Promise.race(inHand);
    if (failure || isStopped()) break;
  }
  await Promise.all(inHand);
  if (failure) throw failure.error;
}
