/**
 * A node and its archive share the work: the node reads what it still has, the archive what is below the node's horizon. Nothing is
 * lost to a horizon there, so the archive is read by halving, and each of its snapshots gets a source.
 */
export type Reach = { readonly part: "above" | "archive"; readonly horizon: bigint };

/** Whether a version is in a node's part of the work; without a part all are. */
export function isWithin(version: bigint, reach: Reach | undefined): boolean {
  return reach === undefined || version < reach.horizon === (reach.part === "archive");
}
