import { statusQueries } from "../../db/archive/read/status-queries.ts";
import { readSealedVersions, type Snapshot, type SnapshotRequest } from "../../db/archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../db/engine/engine.ts";
import { MovedexError } from "../../errors.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { runQueries } from "../../work/runs/runs.ts";
import type { ChoosingRequest } from "../targets/choice.ts";
import type { RecordCadence } from "../targets/targets.ts";

/** The version that a run is asked to read: the newest, an exact one, or a number of versions below the newest. */
export type VersionRequest =
  | { readonly kind: "latest" }
  | { readonly kind: "exact"; readonly version: bigint }
  | { readonly kind: "behind"; readonly versions: bigint };

/** What a snapshot's row says of the node's newest version. */
export function headFacts(head: LedgerHead): Omit<SnapshotRequest, "ledgerVersion" | "now"> {
  const { chainId, ledgerVersion: headVersion, oldestVersion, timestampUsec, epoch, blockHeight } = head;
  return { chainId, headVersion, oldestVersion, headTimestampUsec: timestampUsec, headEpoch: epoch, headBlockHeight: blockHeight };
}

function readable(head: LedgerHead, version: bigint): bigint {
  if (version < 0n) {
    const found = `there is no ledger version ${head.ledgerVersion - version} versions before the newest, which is ${head.ledgerVersion}`;
    throw new MovedexError("MOVEDEX_PIN_FUTURE", `${found}. Ask for fewer versions before it, or for a version by its number.`, {
      facts: { newest: head.ledgerVersion },
    });
  }
  const facts = { wanted: version, oldest: head.oldestVersion, newest: head.ledgerVersion };
  if (version < head.oldestVersion) {
    const found = `the node has pruned ledger version ${version}; its oldest readable version is ${head.oldestVersion}`;
    const advice = "Ask for a newer version, or for an archive node that still holds it.";
    throw new MovedexError("MOVEDEX_PIN_PRUNED", `${found}. ${advice}`, { facts, exit: "lost" });
  }
  if (version > head.ledgerVersion) {
    const found = `ledger version ${version} does not exist yet; the node's newest is ${head.ledgerVersion}`;
    const advice = "Ask for an older version, or leave out --ledger-version for the newest.";
    throw new MovedexError("MOVEDEX_PIN_FUTURE", `${found}. ${advice}`, { facts });
  }
  return version;
}

/** A snapshot begun at most this long ago is still tonight's: a run for the newest version finishes it and takes no other. */
const SAME_NIGHT_MS = 12 * 3_600_000;

/** A node whose newest version is older than this, and no newer than what is held, has stopped or lags. */
const STALE_MS = 600_000;

export type SyncRequest = ChoosingRequest & {
  readonly version: VersionRequest;
  /** Versions to stay below the head when the newest is asked for. */
  readonly lag: bigint;
  /** How often account records are read; default nightly, with the code. */
  readonly records?: RecordCadence | undefined;
  /** How often an account is tried before its gap is parked; with 0, the default, gaps of earlier snapshots are not tried again. */
  readonly gapTries?: number;
};

export type PriorState = Awaited<ReturnType<typeof readPriorState>>;

/** What a run begins with, which decides the version that it reads. */
export type RunStart = {
  readonly request: SyncRequest;
  /** The run's first answer. */
  readonly head: LedgerHead;
  readonly before: PriorState;
};

/** The node's newest version at the beginning of a run. */
export type HeadReport = ReturnType<typeof reportHead>;

/** Reads what a run has to know of those before it. `engine` is undefined where there is no database yet. */
export async function readPriorState(engine: Engine | undefined) {
  const newestSealed = (await (engine && readSealedVersions(engine)))?.at(-1);
  const counts = newestSealed === undefined ? undefined : await (engine && statusQueries(engine).snapshotCounts(newestSealed));
  const planned = (counts?.accounts ?? 0) + (counts?.gaps ?? 0) + (counts?.passedOver ?? 0);
  return {
    /** The newest sealed snapshot; undefined when there is none. */
    newestSealed,
    /** The accounts that it was to read, with those that its budget left to other nights. */
    planned,
    modules: counts?.modules ?? 0,
    /** The newest version that any node had. */
    seen: await (engine && runQueries(engine).newestHead()),
  };
}

/** Whether a run may choose among targets: not for a database's first snapshot, without a history, and not for an exact version. */
export function mayChoose({ request, before }: RunStart): boolean {
  return request.version.kind !== "exact" && before.newestSealed !== undefined;
}

/** How old the node's newest version is, and whether it has moved. */
export function reportHead({ request, head, before }: RunStart, nowMs: number) {
  const behindMs = nowMs - Number(head.timestampUsec / 1000n);
  // A clock that is slow hides the age of a head, and not for how long nothing newer has come. One that was set back hides that, too; but
  // both the ledger and an earlier run say that it is later than it says, so that no age can be told.
  const stoodMs = before.seen === undefined || head.ledgerVersion > before.seen.ledgerVersion ? 0 : nowMs - before.seen.seenAtMs;
  const ageMs = Math.max(0, behindMs, stoodMs);
  const isOld = ageMs > STALE_MS || (behindMs < 0 && stoodMs < -STALE_MS);
  const isNoNewer = before.newestSealed !== undefined && head.ledgerVersion - request.lag <= before.newestSealed;
  return {
    ledgerVersion: head.ledgerVersion,
    /** By this machine's clock; 0 when the ledger's clock is ahead of it, and the head has moved. */
    ageMs,
    /** How far its time is in the future of this machine's clock. */
    aheadMs: Math.max(0, -behindMs),
    /** Versions above the newest one that any run before saw, negative below it; undefined for the first run. */
    risenBy: before.seen === undefined ? undefined : head.ledgerVersion - before.seen.ledgerVersion,
    /** Whether it is older than by the seconds that nodes differ, or has not moved since a clock was set back. */
    isOld,
    /** Whether the newest was asked for, and what it lets be read is held, and it is too old for that to be a matter of seconds. */
    isStale: request.version.kind === "latest" && isNoNewer && isOld,
  };
}

/**
 * The version that a run is to read; undefined when the newest was asked for and one above it is held. The newest stays `lag` versions
 * behind the head, so that other nodes of the address have it too.
 * @throws MovedexError `MOVEDEX_PIN_PRUNED` when the version is already gone, `MOVEDEX_PIN_FUTURE` when there is no such version
 */
export function chooseTonights({ request: { version, lag }, head, before: { newestSealed } }: RunStart): bigint | undefined {
  if (version.kind === "exact") return readable(head, version.version);
  if (version.kind === "behind") return readable(head, head.ledgerVersion - version.versions);
  const behind = head.ledgerVersion - lag;
  const pin = behind < head.oldestVersion ? head.oldestVersion : behind;
  return newestSealed !== undefined && pin < newestSealed ? undefined : pin;
}

/**
 * Whether a run that finishes this snapshot need take no other: it is of the version asked for, or of tonight's newest. A
 * snapshot that was extended is not.
 */
export function isTonights({ request, head, before }: RunStart, snapshot: Snapshot, nowMs: number): boolean {
  const { version, lag } = request;
  if (snapshot.ledgerVersion < head.oldestVersion) return false;
  if (version.kind === "exact") return version.version === snapshot.ledgerVersion;
  const behind = version.kind === "latest" ? lag : version.versions;
  const isOfThen = snapshot.headVersion - snapshot.ledgerVersion <= behind;
  const isNewest = before.newestSealed === undefined || snapshot.ledgerVersion > before.newestSealed;
  // A node that has stood still since has nothing newer.
  const isRecent = nowMs - snapshot.createdAt < SAME_NIGHT_MS || head.ledgerVersion <= snapshot.headVersion;
  return snapshot.status === "unsealed" && isOfThen && isNewest && isRecent;
}
