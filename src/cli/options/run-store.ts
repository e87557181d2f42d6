import { closing } from "../../base/closing.ts";
import { packageVersion } from "../../base/files/package-file.ts";
import type { RunWork } from "../../crawl/run/run-work.ts";
import { keepCommonPace } from "../../crawl/workers/common-pace.ts";
import { databaseAt } from "../../engine/database-at.ts";
import { openStore } from "../../work/store.ts";
import { storeNotice } from "../output/store-notices.ts";
import type { NodeFlags } from "./node-options.ts";
import type { NodeSession } from "./node-session.ts";

export type StoreFlags = NodeFlags & { readonly db: string; readonly lease?: number };

/** What a run works with, until it is disposed of. */
export type OpenRun = AsyncDisposable & { readonly work: RunWork };

/** Opens the database for a run: other workers see the run, and it keeps to the pace that they share. */
export async function openRun(
  command: string,
  { db: path, ...flags }: StoreFlags,
  { io, choice, node, stop, log }: NodeSession,
): Promise<OpenRun> {
  // A node that does not answer must not leave an empty database behind.
  if (!(await databaseAt(path).isThere())) await node.index(stop.signal);
  const { clock } = io;
  const appVersion = packageVersion();
  const share = { command, node: node.url, ...(flags.lease === undefined ? {} : { leaseMs: flags.lease }) };
  const store = await openStore(path, { mode: "write", now: clock.now, appVersion, onNotice: storeNotice(io), share });
  const pace = await keepCommonPace({ store, node, clock }, flags.sharedRate).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const work: RunWork = {
    store,
    node,
    clock,
    stop,
    log,
    concurrency: choice.pace.concurrency,
    pageSize: flags.pageSize,
    appVersion,
    acceptsNewHistory: flags.acceptNewHistory === true,
  };
  const close = async (): Promise<void> => {
    try {
      await pace.end();
    } finally {
      await store.close();
    }
  };
  return closing({ work, close });
}
