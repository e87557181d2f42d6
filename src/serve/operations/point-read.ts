import type { NearestProbes, RowId } from "../../archive/read/serving.ts";
import type { VersionedRead } from "./resolve-version.ts";

/** What one value of an account is read from: snapshots, and the point reads of `trace` between them. */
export type PointSource<T> = Pick<VersionedRead<T>, "part"> & {
  readonly at: (account: RowId, version: bigint) => Promise<T>;
  /** The nearest point reads at or below a version, and above it. */
  readonly nearestProbes: (account: RowId, version: bigint) => Promise<NearestProbes<T>>;
  readonly isSame: (a: T, b: T) => boolean;
};

/**
 * Reads one value: a module, or an account's record. A point read at the very version is an observation. Otherwise the
 * nearest observations on both sides are compared, point reads and snapshots alike, when inferring is allowed.
 */
export function pointRead<T>({ part, at, nearestProbes, isSame }: PointSource<T>): VersionedRead<T> {
  return {
    part,
    at,
    between: async (account, version, { previous, next }, between) => {
      const probes = await nearestProbes(account, version);
      if (probes.before?.version === version) return { value: probes.before.value, observedAt: [version] };
      if (between === "exact") return undefined;
      const valueAt = (snapshot: bigint | undefined) =>
        snapshot === undefined ? undefined : { version: snapshot, value: () => at(account, snapshot) };
      const before = nearer(probes.before, valueAt(previous), (probe, snapshot) => probe > snapshot);
      const after = nearer(probes.after, valueAt(next), (probe, snapshot) => probe < snapshot);
      if (before === undefined || after === undefined) return undefined;
      const [low, high] = [await before.value(), await after.value()];
      return isSame(low, high) ? { value: low, observedAt: [before.version, after.version] } : undefined;
    },
  };
}

type Known<T> = { readonly version: bigint; readonly value: () => Promise<T> };

function nearer<T>(
  probe: { readonly version: bigint; readonly value: T } | undefined,
  snapshot: Known<T> | undefined,
  isNearer: (probe: bigint, snapshot: bigint) => boolean,
): Known<T> | undefined {
  if (probe === undefined) return snapshot;
  if (snapshot !== undefined && !isNearer(probe.version, snapshot.version)) return snapshot;
  return { version: probe.version, value: async () => probe.value };
}
