import { plural } from "../../base/plural.ts";
import { statusQueries } from "../../db/archive/read/status-queries.ts";
import type { PlanRecords, PlanScope } from "../../db/archive/snapshots/plan.ts";
import { planAlone } from "../../db/archive/snapshots/plan.ts";
import { planQueries } from "../../db/archive/snapshots/plan-queries.ts";
import { readSealedVersions, snapshotQueries } from "../../db/archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../db/engine/engine.ts";
import type { Facts } from "../../errors.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { recordsToRead, scopeOf } from "../targets/targets.ts";
import { addCost, type Night, readSummed, summarize } from "./night.ts";
import { NOTHING_READ } from "./progress.ts";
import type { SyncSummary } from "./summary.ts";
import { chooseTonights, headFacts, isTonights, mayChoose } from "./tonight.ts";

type Plan = {
  readonly ledgerVersion: bigint;
  readonly scope: PlanScope;
  readonly records: PlanRecords;
  /** Targets left out by choice; undefined when the scope is all that was asked for. */
  readonly passedOver: number | undefined;
};

/** How a run's own snapshot begins: with a new plan, a plan that another worker has just made, or the rest of a held snapshot. */
type SnapshotStart =
  | { readonly kind: "pinned"; readonly planned: number }
  | { readonly kind: "joined"; readonly ledgerVersion: bigint }
  | { readonly kind: "held"; readonly lacking: number };

/** How long after another machine sealed a process is taken to have come late to that night. */
const LATE_MS = 600_000;

/** Whether this run was started for a night that another machine has sealed a short time ago. */
export async function isTooLate({ work: { engine, host, clock }, request, before }: Night): Promise<boolean> {
  const { newestSealed } = before;
  if (newestSealed === undefined || request.scope !== undefined || request.version.kind === "exact") return false;
  const { sealedBy, sealedAt = 0 } = (await snapshotQueries(engine).findSnapshot(newestSealed)) ?? {};
  return sealedBy !== undefined && sealedBy !== host && Math.abs(clock.now() - sealedAt) < LATE_MS;
}

export function skipSnapshot(night: Night): Promise<SyncSummary> {
  const held = night.before.newestSealed as bigint;
  night.work.log("info", `this process came late: ledger version ${held} is sealed`, { ledger_version: held });
  return summarize(night, held, { ...NOTHING_READ, isSealedByAnother: true }, false);
}

/** Takes the run's own snapshot, of the version `heard` or else below the newest, or reads what a held one lacks. */
export async function takeSnapshot(first: Night, heard: LedgerHead | undefined): Promise<SyncSummary> {
  const { work, cost, request, before } = first;
  const { engine, node, log } = work;
  const head = heard ?? node.lastHead() ?? first.head;
  const night = { ...first, head };
  const ledgerVersion = heard?.ledgerVersion ?? chooseTonights(night);
  if (ledgerVersion === undefined) {
    const held = before.newestSealed as bigint;
    const message = `the node's newest version is ${head.ledgerVersion}, and ledger version ${held} is held: there is nothing newer to read`;
    return readNothing(night, held, "warn", message, { head_version: head.ledgerVersion, held_version: held });
  }
  const records = await recordsToRead(engine, request.records, head, ledgerVersion);
  const tonight = { head, ledgerVersion, records, elapsedMs: cost.elapsedMs() };
  // Without a budget nothing is chosen.
  const choice = request.budget !== undefined && mayChoose(night) ? await import("../targets/choice.ts") : undefined;
  const chosen = await choice?.chooseTargets(work, request, tonight);
  const scope = chosen?.accounts ?? (await scopeOf(engine, request.scope));
  const plan = { ledgerVersion, scope, records, passedOver: chosen?.passedOver };
  const start = await planAlone(engine, (inside) => begin(night, inside, plan));
  if (start.kind === "joined") {
    log("info", `joining other processes at ledger version ${start.ledgerVersion}`, { ledger_version: start.ledgerVersion });
    return readSummed(night, start.ledgerVersion, false);
  }
  if (start.kind === "pinned") {
    const fewerThan = warnOfFewer(night, start.planned + (chosen?.passedOver ?? 0));
    return {
      ...(await readSummed(night, ledgerVersion, false)),
      ...(fewerThan !== undefined && { fewerThan }),
      ...(chosen?.outlook !== undefined && { outlook: chosen.outlook }),
    };
  }
  const facts = { ledger_version: ledgerVersion, accounts: start.lacking };
  if (start.lacking > 0) {
    log("info", `ledger version ${ledgerVersion} is stored already; reading its missing accounts`, facts);
    const [begun, rest] = [takeBack(night, ledgerVersion), await readSummed(night, ledgerVersion, true)];
    if (begun === undefined) return rest;
    return { ...rest, ...addCost(rest, begun), newBytecodes: rest.newBytecodes + begun.newBytecodes, isLost: rest.isLost || begun.isLost };
  }
  const { unreadRecords } = await statusQueries(engine).snapshotCounts(ledgerVersion);
  if (records !== "all" || unreadRecords === 0)
    return readNothing(night, ledgerVersion, "info", `ledger version ${ledgerVersion} is stored already; nothing to read`, facts);
  const message = `ledger version ${ledgerVersion} is held already, but without the records of ${plural(unreadRecords, "account")}, which were left out when it was read. A sealed snapshot is not read again for them: the next one of a newer version reads them, unless --records leaves them out`;
  return readNothing(night, ledgerVersion, "warn", message, { ...facts, records_unread: unreadRecords });
}

/** Leaves a held snapshot as it is, and says why; of one that this run has sealed, what it read of it is its own. */
async function readNothing(night: Night, held: bigint, level: "info" | "warn", why: string, facts: Facts): Promise<SyncSummary> {
  const begun = takeBack(night, held);
  if (begun !== undefined) return begun;
  night.work.log(level, why, facts);
  return { ...(await summarize(night, held, NOTHING_READ, false)), isHeld: true };
}

/** Takes away what was said of a snapshot that this run has read before: it is said once. */
function takeBack({ summaries }: Night, version: bigint): SyncSummary | undefined {
  const place = summaries.findIndex(({ ledgerVersion }) => ledgerVersion === version);
  return place < 0 ? undefined : summaries.splice(place, 1)[0];
}

async function begin(night: Night, inside: Engine, { ledgerVersion, scope, records, passedOver }: Plan): Promise<SnapshotStart> {
  const { clock } = night.work;
  const snapshots = snapshotQueries(inside);
  const tonights = (await snapshots.unfinishedSnapshots()).find(
    (snapshot) => !night.finished.has(snapshot.ledgerVersion) && isTonights(night, snapshot, clock.now()),
  );
  if (tonights !== undefined) return { kind: "joined", ledgerVersion: tonights.ledgerVersion };
  const newest = (await readSealedVersions(inside)).at(-1);
  // Sealed by others while this run was starting: that was the night.
  const isNew = newest !== undefined && newest > (night.before.newestSealed ?? -1n) && !night.finished.has(newest);
  if (isNew && night.request.version.kind !== "exact") return { kind: "joined", ledgerVersion: newest };
  const held = await snapshots.findSnapshot(ledgerVersion);
  if (held !== undefined && held.status !== "abandoned")
    return { kind: "held", lacking: await planQueries(inside).extendSnapshot(ledgerVersion, scope, records) };
  const facts = { ...headFacts(night.head), ledgerVersion, records, now: clock.now() };
  const { planned } = await snapshots.createSnapshot({ ...facts, ...(passedOver !== undefined && { passedOver }) }, scope);
  return { kind: "pinned", planned };
}

/** Says so when a snapshot is to have less than half the accounts of the one before; returns how many that had. */
function warnOfFewer({ work, request, before }: Night, planned: number): number | undefined {
  if (2 * planned >= before.planned) return undefined;
  const why =
    request.scope === undefined
      ? "The list has become shorter, or a run before read accounts by --targets or --account, which it read alone (see `movedex targets list`)"
      : "This run was asked for these accounts alone";
  const message = `reading ${plural(planned, "account")}, where the snapshot of ledger version ${before.newestSealed} has ${before.planned}. ${why}.`;
  work.log("warn", message, { accounts: planned, accounts_before: before.planned });
  return before.planned;
}
