import type { PlanRecords } from "../../../archive/snapshots/plan.ts";
import { plural } from "../../../base/plural.ts";
import { chooseReads } from "../../../crawl/cadence/choose-reads.ts";
import { knownMaxAgeMs } from "../../../crawl/cadence/last-outlook.ts";
import { recordsToRead } from "../../../crawl/cadence/record-cadence.ts";
import { requestsAllowed, requestsLeft } from "../../../crawl/cadence/run-budget.ts";
import { expectedBytes, timesAt, visitCost } from "../../../crawl/night/night-cost.ts";
import { MovedexError } from "../../../errors.ts";
import { openIfThere, type Store } from "../../../work/store.ts";
import type { Io } from "../../io.ts";
import { chooseNode, pacesOf } from "../../options/node-options.ts";
import { bytesText, outlookLines, timeText } from "../sync/text.ts";
import { type CheckResult, ok } from "./check-result.ts";
import type { DoctorFlags } from "./node.ts";

/** How long a night is taken to be where no budget is named. */
const NIGHT_MS = 8 * 3_600_000;

/** What a night over the list of targets costs; a first crawl costs the same requests. Nothing where node or database cannot be used. */
export async function checkNight(path: string, flags: DoctorFlags, io: Io): Promise<CheckResult[]> {
  try {
    const choice = chooseNode(flags, io);
    await using store = await openIfThere(path);
    const night = await nextNight(store, flags);
    const { accounts, requests } = await visitCost(store, night.version, undefined, night.records);
    const isListed = store !== undefined && (await store.hasTargets());
    const which = isListed ? plural(accounts, "target") : `the ${accounts} framework accounts, since no targets are listed`;
    const times = timeText(timesAt(requests, pacesOf(choice, flags)));
    const bytes = await expectedBytes(store, accounts);
    return [
      ok("night", `${which}: ${[`at least ${plural(requests, "request")}`, ...times].join(", ")}`),
      ok("night", bytesText(bytes)),
      ...(store === undefined || !isListed ? [] : await checkBudget(store, { ...night, requests }, choice.pace.rate, flags)),
    ];
  } catch (error) {
    // The checks of node and database have said it.
    if (error instanceof MovedexError) return [];
    throw error;
  }
}

/** The night to come: a version above all that nodes had, and of which targets it reads the record. */
type NextNight = { readonly version: bigint; readonly records: PlanRecords; readonly head: Awaited<ReturnType<Store["newestHead"]>> };

async function nextNight(store: Store | undefined, { records }: DoctorFlags): Promise<NextNight> {
  const head = await store?.newestHead();
  if (store === undefined || head === undefined) return { version: 0n, records: records === "never" ? "none" : "all", head: undefined };
  const { headVersion, timestampUsec } = head;
  return {
    version: headVersion + 1n,
    records: await recordsToRead(store, records, { ledgerVersion: headVersion, timestampUsec }, headVersion),
    head,
  };
}

/** How far a night's budget goes, and what is known by it. */
async function checkBudget(
  store: Store,
  { version, records, head, requests: whole }: NextNight & { readonly requests: number },
  rate: number,
  flags: DoctorFlags,
): Promise<CheckResult[]> {
  const { maxRequests, maxDuration, maxAge, halfLife } = flags;
  const isAssumed = maxRequests === undefined && maxDuration === undefined;
  const budget = { maxRequests, maxDurationMs: isAssumed ? NIGHT_MS : maxDuration, perSecond: rate };
  const nothing = { requests: 0, elapsedMs: 0 };
  const requests = requestsLeft(budget, nothing);
  if (!Number.isFinite(requests)) return [];
  const most = `${plural(requestsAllowed(budget, nothing), "request")}${isAssumed ? ", what 8 hours at this pace allow" : ""}`;
  const say = (words: string): CheckResult[] => [ok("night", `${most}: ${words}`)];
  if (head === undefined || (await store.sealedVersions()).length === 0)
    return say(
      whole <= requests
        ? "enough for the first crawl"
        : `the first crawl is read whole, in about ${plural(Math.ceil(whole / requests), "run")}`,
    );
  const latest = { ledgerVersion: head.headVersion, timestampUsec: head.timestampUsec };
  const maxAgeMs = maxAge ?? (await knownMaxAgeMs(store));
  const choice = { head: latest, ledgerVersion: version, records, requests, maxAgeMs, halfLifeMs: halfLife, pageSize: undefined };
  const chosen = await chooseReads(store, choice);
  if (chosen === undefined) return say("enough for all of them every night, so that every change is known within a day");
  return [
    ...say(
      `enough for ${plural(chosen.accounts.length, "account")} of ${(chosen.accounts.length + chosen.passedOver).toLocaleString("en-US")}`,
    ),
    ...outlookLines(chosen.outlook).map((text) => ok("night", text)),
  ];
}
