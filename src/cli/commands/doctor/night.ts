import { plural } from "../../../base/plural.ts";
import { chooseReads } from "../../../crawl/cadence/choose-reads.ts";
import { defaultMaxAgeMs, UNKNOWN_MAX_AGE_MS } from "../../../crawl/cadence/max-age.ts";
import { SAMPLED_MS } from "../../../crawl/horizon/head-watch.ts";
import { horizonForecasts } from "../../../crawl/horizon/horizon-forecast.ts";
import { expectedBytes, timesAt } from "../../../crawl/night/night-cost.ts";
import { frameworkAccounts } from "../../../crawl/targets/targets.ts";
import { MovedexError } from "../../../errors.ts";
import { openIfThere } from "../../../store/open-if-there.ts";
import type { Store } from "../../../store/store.ts";
import type { Io } from "../../io.ts";
import { chooseNode, pacesOf } from "../../options/node-options.ts";
import { bytesWords, timeWords } from "../sync/text.ts";
import type { CheckResult } from "./check-result.ts";
import type { DoctorFlags } from "./node.ts";

/** An account's record, and one page of its modules; what has more pages costs more. */
const REQUESTS_PER_ACCOUNT = 2;

/** How long a night is taken to be where no budget is named. */
const NIGHT_MS = 8 * 3_600_000;

/** What a night over the list of targets costs; a first crawl costs the same requests. Nothing where node or database cannot be used. */
export async function checkNight(path: string, flags: DoctorFlags, io: Io): Promise<CheckResult[]> {
  let store: Store | undefined;
  try {
    const choice = chooseNode(flags, io);
    store = await openIfThere(path);
    const listed = (await store?.countTargets()) ?? 0;
    const accounts = listed > 0 ? listed : frameworkAccounts.length;
    const requests = accounts * REQUESTS_PER_ACCOUNT;
    const which = listed > 0 ? plural(accounts, "target") : `the ${accounts} framework accounts, since no targets are listed`;
    const times = timeWords(timesAt(requests, pacesOf(choice, flags)));
    const bytes = await expectedBytes(store, accounts);
    const budget = flags.maxRequests ?? Math.floor((choice.pace.rate * NIGHT_MS) / 1000);
    return [
      { state: "ok", subject: "night", text: `${which}: ${[`at least ${plural(requests, "request")}`, ...times].join(", ")}` },
      { state: "ok", subject: "night", text: bytesWords(bytes) },
      ...(listed === 0 || store === undefined ? [] : await checkBudget(store, budget, flags.maxRequests === undefined)),
    ];
  } catch (error) {
    // The checks of node and database have said it.
    if (error instanceof MovedexError) return [];
    throw error;
  } finally {
    await store?.close();
  }
}

/** What a night knows whose budget does not suffice for all targets; nothing where it does, or where no snapshot tells yet what changes. */
async function checkBudget(store: Store, requests: number, isAssumed: boolean): Promise<CheckResult[]> {
  const head = await store.newestHead();
  if (requests === 0 || head === undefined || (await store.sealedVersions()).length === 0) return [];
  const latest = { ledgerVersion: head.headVersion, timestampUsec: head.timestampUsec };
  const [node] = horizonForecasts(await store.headSamples({ since: head.seenAtMs - SAMPLED_MS }));
  const maxAgeMs = node === undefined ? UNKNOWN_MAX_AGE_MS : defaultMaxAgeMs(node, head.seenAtMs);
  const chosen = await chooseReads(store, { head: latest, ledgerVersion: -1n, requests, maxAgeMs, pageSize: undefined });
  if (chosen === undefined) return [];
  const share =
    chosen.knownWithinDay === undefined
      ? ""
      : `; of the changes of a day about ${Math.round(100 * chosen.knownWithinDay)} % known within a day`;
  const budget = `${plural(requests, "request")}${isAssumed ? ", as many as 8 hours at this pace have" : ""}`;
  const text = `${budget}: enough for the ${plural(chosen.accounts.length, "account")} that most likely changed or were read longest ago${share}`;
  return [{ state: "ok", subject: "night", text }];
}
