import type { Log } from "../../base/log.ts";
import { plural } from "../../base/plural.ts";
import type { Clock } from "../../base/time.ts";
import type { Bytecodes } from "../../db/archive/content/bytecodes.ts";
import type { WhenBusy } from "../../db/engine/database.ts";
import type { Engine } from "../../db/engine/engine.ts";
import { isUnavailable } from "../../db/engine/errors.ts";
import { firstFailure, MovedexError } from "../../errors.ts";
import type { ExitName } from "../../exit-codes.ts";
import type { NodeFailed } from "../../node/http/requester.ts";
import type { LedgerNode } from "../../node/open-node.ts";

export type RunWork = {
  readonly engine: Engine;
  /** This machine's name, where processes of several machines may work on the database; undefined for a file. */
  readonly host: string | undefined;
  readonly bytecodes: Bytecodes;
  readonly node: LedgerNode;
  readonly clock: Clock;
  readonly stop: Pick<Stop, "reason" | "signal" | "asked" | "request" | "isTimeOver">;
  readonly log: Log;
  readonly appVersion: string;
  readonly concurrency: number;
  /** Modules asked for per page; undefined leaves it to the node. */
  readonly pageSize: number | undefined;
  /** Whether a person has said that the ledger is the one stored, where nothing can be compared. */
  readonly acceptsNewHistory?: boolean;
};

export type StopReason = "budget" | "SIGINT" | "SIGTERM";

export type Stop = ReturnType<typeof openStop>;

/**
 * Ends a run early without losing anything: after the first request to stop no account is begun; accounts that are still
 * being read after the grace time are aborted, and stay planned for the next run.
 */
export function openStop(clock: Clock, graceMs = 20_000) {
  const [asking, abort] = [new AbortController(), new AbortController()];
  let reason: StopReason | undefined;
  let endsAtMs = Number.POSITIVE_INFINITY;

  function requestWithin(asked: StopReason, ms: number): void {
    if (reason !== undefined) {
      if (asked !== "budget") abort.abort(new StopError(asked));
      return;
    }
    reason = asked;
    endsAtMs = clock.monotonic() + ms;
    asking.abort(new StopError(asked));
    clock.sleep(ms, abort.signal).then(
      () => abort.abort(new StopError(asked)),
      () => undefined,
    );
  }

  return {
    get reason(): StopReason | undefined {
      return reason;
    },
    /** Aborted when the run is first asked to end: for waits that have nothing in hand. */
    asked: asking.signal,
    /** Aborted when the accounts under way are not waited for any longer. */
    signal: abort.signal,
    /** Milliseconds until then; infinite where no end is set. */
    leftMs: (): number => endsAtMs - clock.monotonic(),
    /** Whether an error says no more than that the run's time is over. */
    isTimeOver: (error: unknown): boolean => reason === "budget" && error === abort.signal.reason,
    /** An error that says no more than that the run was to end, with what the node had answered until then; any other error as it is. */
    explain: (error: unknown, failing: NodeFailed | undefined): unknown => {
      const cause = firstFailure(error);
      const exit = signalExit(reason);
      // Such a run would have waited on for its database.
      if (exit !== undefined && isUnavailable(cause))
        return new MovedexError("MOVEDEX_STOPPED", `stopped by ${reason} while the database gave no answer: ${cause.message}`, {
          exit,
          cause,
        });
      return cause instanceof StopError && failing !== undefined ? new StopError(reason, failing) : error;
    },
    /** Asks the run to end; a second signal ends it at once. */
    request: (asked: StopReason): void => requestWithin(asked, graceMs),
    /** Ends the run after this many milliseconds. The last quarter of them, but at most the grace time, is for accounts in progress. */
    endWithin: (ms: number): void => {
      const lastMs = Math.min(graceMs, ms / 4);
      endsAtMs = clock.monotonic() + ms;
      clock.sleep(ms - lastMs, abort.signal).then(
        () => requestWithin("budget", lastMs),
        () => undefined,
      );
    },
    close: (): void => abort.abort(new StopError(reason)),
  };
}

const signalExits = { SIGINT: "interrupted", SIGTERM: "terminated" } as const satisfies Record<Exclude<StopReason, "budget">, ExitName>;

/** The exit of a run that a signal stopped; undefined for any other run. */
export function signalExit(reason: StopReason | undefined): "interrupted" | "terminated" | undefined {
  return reason === undefined || reason === "budget" ? undefined : signalExits[reason];
}

/** What aborted requests reject with, shown only by a run that had nothing to finish. Code: `MOVEDEX_STOPPED`. */
class StopError extends MovedexError {
  constructor(reason: StopReason = "budget", failing?: NodeFailed) {
    const how = failing === undefined ? "" : ` (${plural(failing.attempts, "failed attempt")}, at last: ${failing.last})`;
    const text =
      reason === "budget"
        ? `the time allowed was over before the node had answered what a run asks first${how}. Allow more time, or ask \`movedex doctor\` about the node.`
        : `stopped by ${reason}${how}; run again to go on.`;
    // A run that was to end in time has failed when it read nothing: with exit 0 a night could go unread for weeks.
    super("MOVEDEX_STOPPED", text, { exit: signalExit(reason) ?? "failed" });
  }
}

const TRY_EVERY_MS = 500;

/** A run without an end of its own waits for as long: what locks a database for an hour hangs. */
const LONGEST_MS = 3_600_000;

/**
 * How long a run still waits for others' locks on its database, whether it has said so, and what ends the waiting. The steps of a night
 * share it.
 */
export type Patience = { leftMs: number; isSaid: boolean; readonly ending?: AbortSignal | undefined };

export const patienceFor = (ms = LONGEST_MS, ending?: AbortSignal): Patience => ({ leftMs: ms, isSaid: false, ending });

/** Does work again while others are in its way: another run of movedex, or a lock that outlasted a statement's own patience. */
export async function inTurn<T>(work: () => Promise<T>, whenBusy: WhenBusy): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (caught) {
      const error = firstFailure(caught);
      if (!(error instanceof MovedexError) || error.exit !== "locked") throw caught;
      // Without what a person should do.
      if (!(await whenBusy(0, error.message.replace(/\. (?:Wait|Raise) .*$/s, "")))) throw caught;
    }
  }
}

/** Waits for a lock that another program has on the database until the run's time is over, which is said once. */
export function waitWhenBusy(
  clock: Clock,
  log: Log,
  { stop, patience = patienceFor() }: { readonly stop?: Stop; readonly patience?: Patience | undefined } = {},
): WhenBusy {
  return async (waitedMs = 0, why = "another program has locked the database") => {
    patience.leftMs -= waitedMs;
    if (patience.leftMs <= 0) return false;
    if (!patience.isSaid) log("warn", `${why}; this run waits until its own time is over`);
    patience.isSaid = true;
    patience.leftMs -= TRY_EVERY_MS;
    try {
      await clock.sleep(TRY_EVERY_MS, stop?.signal ?? patience.ending);
      return true;
    } catch (error) {
      if (!stop?.isTimeOver(error)) throw error;
      patience.leftMs = 0;
      return false;
    }
  };
}
