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
  const noted = async (run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      failure ??= { error };
    }
  };
  const lane = async (): Promise<void> => {
    // An error is noted before the lane ends: others would go on until the generator has closed.
    for await (const item of shared) await noted(() => work(item));
  };
  await Promise.all(Array.from({ length: width }, () => noted(lane)));
  if (failure) throw failure.error;
}
