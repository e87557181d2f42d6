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

/** What is kept of a change, as a list: without the address, which the group has. */
const kept = ["module", "after", "atOrBefore", "from", "to", "probes", "least", "state", "reason"] as const;
type Kept = Omit<TracedChange, "address" | "module" | "after" | "atOrBefore"> & {
  readonly module: string | null;
  readonly after: string;
  readonly atOrBefore: string;
};

export function formatTraced(changes: readonly TracedChange[]): string {
  const rows = changes.map((change) => kept.map((name) => change[name] ?? null));
  return JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}

/** Reads what `formatTraced` wrote. */
export function parseTraced(address: OpenChange["address"], json: string): TracedChange[] {
  return (JSON.parse(json) as unknown[][]).map((cells) => {
    const { module, after, atOrBefore, ...rest } = Object.fromEntries(kept.map((name, i) => [name, cells[i]])) as Kept;
    return { address, module: module ?? undefined, after: BigInt(after), atOrBefore: BigInt(atOrBefore), ...rest };
  });
}
