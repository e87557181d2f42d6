import type { OpenChange } from "../../archive/nodes/probes.ts";

/**
 * What became of one change that was searched for: exact; open (the run ended first); unreadable (the versions left to read are pruned);
 * behind (the node has not reached them); failed, for a reason.
 */
export type TracedChange = OpenChange & {
  /** Probes made by the process that searched last, and the fewest that the first interval needs. */
  readonly probes: number;
  readonly least: number;
  readonly state: "exact" | "open" | "unreadable" | "behind" | "failed";
  readonly reason: string | null;
};

/** As a list for JSON, without the address, which the group has. */
type Cells = readonly [
  module: string | null,
  after: string,
  atOrBefore: string,
  from: string | null,
  to: string | null,
  probes: number,
  least: number,
  state: TracedChange["state"],
  reason: string | null,
];

export function formatTraced(changes: readonly TracedChange[]): string {
  return JSON.stringify(
    changes.map(
      ({ module = null, after, atOrBefore, from, to, probes, least, state, reason }): Cells => [
        module,
        `${after}`,
        `${atOrBefore}`,
        from,
        to,
        probes,
        least,
        state,
        reason,
      ],
    ),
  );
}

/** Reads what `formatTraced` wrote. */
export function parseTraced(address: OpenChange["address"], json: string): TracedChange[] {
  return (JSON.parse(json) as Cells[]).map(([module, after, atOrBefore, from, to, probes, least, state, reason]) => ({
    address,
    module: module ?? undefined,
    after: BigInt(after),
    atOrBefore: BigInt(atOrBefore),
    from,
    to,
    probes,
    least,
    state,
    reason,
  }));
}
