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
