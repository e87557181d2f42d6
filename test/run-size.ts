/**
 * Whether this run is `npm run test:long`. A file of tests that imports this one, or runs on a PostgreSQL server, belongs to
 * both runs: the short one takes a part of what is large (some recorded releases, fewer tries of a property, one version of
 * PostgreSQL, no browser), the long one takes all of it. vitest.config.ts finds these files.
 */
export const isLongRun = process.env["MOVEDEX_TEST_RUN"] === "long";

/** One of two sizes: of the short run, or of the long one. */
export function sized<T>(short: T, long: T): T {
  return isLongRun ? long : short;
}

/** All of a list in the long run; in the short one `count` of it, evenly spaced, the first and the last among them. */
export function sampled<T>(all: readonly T[], count: number): readonly T[] {
  if (isLongRun || all.length <= count) return all;
  return Array.from({ length: count }, (_, i) => all[Math.round((i * (all.length - 1)) / (count - 1))] as T);
}
