import type { OpenChange } from "../../archive/nodes/probes.ts";

/** A change whose exact version is searched for. */
export type Search = OpenChange & {
  /** Probes made by the process that searched last, and the fewest that the first interval needs: ⌈log2⌉ of its length. */
  readonly probes: number;
  readonly least: number;
};

/**
 * What became of one change that was searched for: exact; open (the run ended first); unreadable (the versions left to read are pruned);
 * behind (the node has not reached them); failed, for a reason.
 */
export type TracedChange = Search & {
  readonly state: "exact" | "open" | "unreadable" | "behind" | "failed";
  readonly reason: string | null;
};
