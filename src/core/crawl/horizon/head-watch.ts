import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { RunQueries, StoredSample } from "../../work/runs/runs.ts";
import type { RunWork } from "../run/run-work.ts";

/** A node's window at one moment (milliseconds since 1970), as its answer gave it. */
export type HeadSample = Pick<StoredSample, "sampledAt" | "headVersion" | "oldestVersion">;

export function sampleOf({ ledgerVersion, oldestVersion }: LedgerHead, sampledAt: number): HeadSample {
  return { sampledAt, headVersion: ledgerVersion, oldestVersion };
}

const FIRST_PAUSE_MS = 60_000;
const PAUSE_SHARE = 1 / 12;

export type HeadWatch = ReturnType<typeof watchHead>;

/** Samples the node's window, as its answers tell it, ever more rarely as the run goes on. */
export function watchHead({ node, clock }: Pick<RunWork, "node" | "clock">, { addHeadSample }: Pick<RunQueries, "addHeadSample">) {
  const samples: HeadSample[] = [];
  let head: LedgerHead | undefined;
  let kept: LedgerHead | undefined;
  let keepsFromMs = Number.NEGATIVE_INFINITY;
  let saved: Promise<void> = Promise.resolve();
  const startedMs = clock.now();

  function hear(heard: LedgerHead): void {
    head = heard;
    const now = clock.now();
    if (now >= keepsFromMs) keep(heard, now);
  }

  function keep(heard: LedgerHead, now: number): void {
    const sample = sampleOf(heard, now);
    saved = saved.then(() => addHeadSample({ ...sample, node: node.url, timestampUsec: heard.timestampUsec }));
    // What fails is told when the watch is closed.
    saved.catch(() => undefined);
    samples.push(sample);
    kept = heard;
    keepsFromMs = now + Math.max(FIRST_PAUSE_MS, (now - startedMs) * PAUSE_SHARE);
  }

  const before = node.lastHead();
  if (before !== undefined) hear(before);
  node.onHead(hear);
  return {
    /** The samples of this run, and the latest answer as the last one; none before the first answer. */
    samples: (): readonly HeadSample[] => (head === undefined ? [] : [...samples, sampleOf(head, clock.now())]),
    /** Keeps the latest word, whatever the pause: a run's end is the next one's past. Rejects when a sample could not be kept. */
    close: async (): Promise<void> => {
      node.onHead(() => {});
      if (head !== undefined && head !== kept) keep(head, clock.now());
      await saved;
    },
  };
}
