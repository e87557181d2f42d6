import { plural } from "../../../base/plural.ts";
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
    return [
      { state: "ok", subject: "night", text: `${which}: ${[`at least ${plural(requests, "request")}`, ...times].join(", ")}` },
      { state: "ok", subject: "night", text: bytesWords(bytes) },
    ];
  } catch (error) {
    // The checks of node and database have said it.
    if (error instanceof MovedexError) return [];
    throw error;
  } finally {
    await store?.close();
  }
}
