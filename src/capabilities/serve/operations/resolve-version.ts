import type { Address } from "../../../core/move/address.ts";
import type { ArchiveHead } from "../archive-head.ts";
import { type Answer, apiError, type CacheRule } from "../http/answer.ts";
import { sourceHeaders } from "../http/headers.ts";
import type { AccountPart, Neighbours, Probe, RowId } from "./served-archive.ts";
import type { Between, Service } from "./service.ts";

/** A value, and the versions that it was observed at: the one asked for, or the two around it that it was inferred from. */
export type Observed<T> = { readonly value: T; readonly observedAt: readonly bigint[] };

export type VersionedRead<T> = {
  /** What is read: the snapshots that have an answer about it are not the same for both. */
  readonly part: AccountPart;
  /** The value at a sealed version that covers the account. */
  readonly at: (account: RowId, version: bigint) => Promise<T>;
  /** The value at a version that no snapshot holds, as far as the observations around it say; undefined when they do not. */
  readonly between: (account: RowId, version: bigint, neighbours: Neighbours, between: Between) => Promise<Observed<T> | undefined>;
};

/** The value at a version, and how the archive knows it. */
export type Resolved<T> = {
  readonly value: T;
  readonly version: bigint;
  readonly known: Pick<Answer, "head" | "cacheRule"> & Pick<Observed<T>, "observedAt">;
};

/**
 * Reads something of an account at a version, by default the newest, or gives a node's error: 410 `version_pruned` below what is
 * held, 404 `version_not_found` above, and inside where the archive never read it. By default the last read counts.
 */
export async function resolveVersion<T>(
  { cache, between }: Pick<Service, "cache" | "between">,
  head: ArchiveHead,
  address: Address,
  asked: bigint | undefined,
  read: VersionedRead<T>,
): Promise<Resolved<T> | { readonly error: Answer }> {
  const { archive } = cache;
  const version = asked ?? head.newest;
  if (version > head.newest) return { error: apiError(404, "version_not_found", notFound(version), head) };
  if (version < head.oldest) return { error: apiError(410, "version_pruned", `Ledger version(${version}) has been pruned`, head) };
  const coverage = await archive.accountCoverage(address, version);
  if (coverage === undefined) return { error: notHeld(head, version, `no snapshot of this archive has read account ${address}`) };
  const { account, isSealed } = coverage;
  const readAt = async (at: bigint, cacheRule: CacheRule): Promise<Resolved<T>> => {
    return { version: at, value: await read.at(account, at), known: { head, observedAt: [at], cacheRule } };
  };
  if (isSealed && coverage[read.part]) return await readAt(version, asked === undefined ? "revalidate" : "sealed");
  const neighbours = await archive.neighbours(account, version, read.part);
  const observed = await read.between(account, version, neighbours, between);
  if (observed !== undefined) {
    const { value, observedAt } = observed;
    return { version, value, known: { head, observedAt, cacheRule: "revalidate" } };
  }
  const gap = isSealed ? await archive.gapReason(account, version) : undefined;
  // A night that chose what to read left the account to another: the newest answer about it is that of the last night which read it.
  if (asked === undefined && gap === undefined && neighbours.previous !== undefined) return await readAt(neighbours.previous, "revalidate");
  const why = !isSealed
    ? "this archive has no snapshot of it"
    : read.part === "record" && coverage.modules
      ? `its snapshot read the modules of account ${address} and not its record`
      : gapText(gap, address);
  const nearest = [neighbours.previous, neighbours.next].filter((neighbour) => neighbour !== undefined);
  const nearestText = nearest.length === 0 ? "" : `; the nearest that hold account ${address}: ${nearest.join(" and ")}`;
  return { error: notHeld(head, version, why + nearestText, nearest) };
}

function notHeld(head: ArchiveHead, version: bigint, why: string, nearest: readonly bigint[] = []): Answer {
  const headers = nearest.length === 0 ? {} : { [sourceHeaders.nearestHeld]: nearest.join(", ") };
  return { ...apiError(404, "version_not_found", `${notFound(version)}: ${why}`, head), headers };
}

function notFound(version: bigint): string {
  return `Ledger version not found by Ledger version(${version})`;
}

function gapText(reason: string | undefined, address: Address): string {
  return reason === undefined ? `its snapshot did not read account ${address}` : `its snapshot has a gap at account ${address} (${reason})`;
}

/** What one value of an account is read from: snapshots, and the point reads of `trace` between them. */
type PointSource<T> = Pick<VersionedRead<T>, "part"> & {
  readonly at: (account: RowId, version: bigint) => Promise<T>;
  /** Its point reads, in the order of versions. */
  readonly probes: (account: RowId) => Promise<readonly Probe<T>[]>;
  readonly isSame: (a: T, b: T) => boolean;
};

/**
 * Reads one value: a module, or an account's record. A point read at the very version is an observation. Otherwise the
 * nearest observations on both sides are compared, point reads and snapshots alike, when inferring is allowed.
 */
export function pointRead<T>({ part, at, probes, isSame }: PointSource<T>): VersionedRead<T> {
  return {
    part,
    at,
    between: async (account, version, { previous, next }, between) => {
      const all = await probes(account);
      const [below, above] = [all.findLast((probe) => probe.version <= version), all.find((probe) => probe.version > version)];
      if (below?.version === version) return { value: below.value, observedAt: [version] };
      if (between === "exact") return undefined;
      const valueAt = async (snapshot: bigint | undefined): Promise<Probe<T> | undefined> =>
        snapshot === undefined ? undefined : { version: snapshot, value: await at(account, snapshot) };
      if ((below ?? previous) === undefined || (above ?? next) === undefined) return undefined;
      const before = below !== undefined && below.version > (previous ?? -1n) ? below : await valueAt(previous);
      const after = above !== undefined && (next === undefined || above.version < next) ? above : await valueAt(next);
      if (before === undefined || after === undefined || !isSame(before.value, after.value)) return undefined;
      return { value: before.value, observedAt: [before.version, after.version] };
    },
  };
}
