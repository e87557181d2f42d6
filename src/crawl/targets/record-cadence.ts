import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import type { Engine } from "../../engine/engine.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { LedgerTime } from "../horizon/ledger-time.ts";

/** How often account records are read; code is read at every visit. */
export type RecordCadence = "nightly" | "weekly" | "never";

/** With `weekly` a record is read when its newest observation is older than this, by the ledger's time. */
const WEEKLY_MS = 7 * 86_400_000;

/** Requests for an account whose modules fit on one page: the page, and its record where that is read. */
export function requestsEach(cadence: RecordCadence | undefined): number {
  return cadence === "never" ? 1 : 2;
}

/** The accounts whose record a snapshot reads: all, where no two heads at different times tell the age of a record. */
export async function recordsToRead(
  engine: Engine | undefined,
  cadence: RecordCadence | undefined,
  head: Pick<LedgerHead, "ledgerVersion" | "timestampUsec">,
  version: bigint,
): Promise<PlanRecords> {
  if (cadence !== "weekly") return cadence === "never" ? "none" : "all";
  const time = await LedgerTime.read(engine, head);
  return time === undefined ? "all" : { unreadSince: time.versionAt(time.timeAt(version) - WEEKLY_MS).version };
}
