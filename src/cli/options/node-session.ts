import { jsonLog, type Log, plainLog } from "../../base/log.ts";
import { Stop } from "../../crawl/night/stop.ts";
import type { LedgerNode } from "../../node/ledger-node.ts";
import type { Io } from "../io.ts";
import { type NodeChoice, type NodeFlags, openChosenNode } from "./node-options.ts";

/** What a command that asks a node works with. */
export type NodeSession = { readonly node: LedgerNode; readonly stop: Stop; readonly log: Log };

/**
 * Opens the chosen node for the length of `work`. Signals and `--max-duration` end the work without loss: accounts that are
 * being read are finished first, as far as there is time.
 */
export async function withNode<T>(
  choice: NodeChoice,
  flags: NodeFlags & { readonly maxDuration?: number },
  io: Io,
  work: (session: NodeSession) => Promise<T>,
): Promise<T> {
  const log = io.stderrIsTerminal ? plainLog(io.stderr) : jsonLog(io.stderr, io.clock.now);
  const stop = new Stop(io.clock);
  const unlisten = io.onStopSignal((signal) => {
    if (stop.reason === undefined) log("warn", `${signal}: finishing the accounts under way; a second signal stops at once`);
    stop.request(signal);
  });
  const node = await openChosenNode(choice, flags, io, log);
  if (flags.maxDuration !== undefined) stop.endWithin(flags.maxDuration);
  try {
    return await work({ node, stop, log });
  } finally {
    stop.close();
    unlisten();
    await node.close();
  }
}
