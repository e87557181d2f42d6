import { packageVersion } from "../../base/files/package-file.ts";
import type { RunWork } from "../../crawl/run/run-work.ts";
import { keepCommonPace } from "../../crawl/workers/common-pace.ts";
import { databaseAt } from "../../engine/database-at.ts";
import { openStore } from "../../work/store.ts";
import { storeNotice } from "../output/store-notices.ts";
import type { NodeFlags } from "./node-options.ts";
import type { NodeSession } from "./node-session.ts";

export type StoreFlags = NodeFlags & { readonly db: string; readonly lease?: number };

/** Opens the database for the length of a run: other workers see the run, and it keeps to the pace that they share. */
export async function withRunStore<T>(
  command: string,
  { db: path, ...flags }: StoreFlags,
  { io, choice, node, stop, log }: NodeSession,
  work: (surroundings: RunWork) => Promise<T>,
): Promise<T> {
  // A node that does not answer must not leave an empty database behind.
  if (!(await databaseAt(path).isThere())) await node.index(stop.signal);
  const { clock } = io;
  const appVersion = packageVersion();
  const share = { command, node: node.url, ...(flags.lease === undefined ? {} : { leaseMs: flags.lease }) };
  await using store = await openStore(path, { mode: "write", now: clock.now, appVersion, onNotice: storeNotice(io), share });
  const pace = await keepCommonPace({ store, node, clock }, flags.sharedRate);
  try {
    return await work({
      store,
      node,
      clock,
      stop,
      log,
      concurrency: choice.pace.concurrency,
      pageSize: flags.pageSize,
      appVersion,
      acceptsNewHistory: flags.acceptNewHistory === true,
    });
  } finally {
    await pace.end();
  }
}
