import { closing } from "../../core/base/async.ts";
import { proxySettings, readVariable } from "../../core/cli/config.ts";
import type { Io } from "../../core/cli/io.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import { frameworkAccounts } from "../../core/crawl/targets/targets.ts";
import { ConfigError } from "../../core/errors.ts";
import type { Address } from "../../core/move/address.ts";
import { networks, unknownNode } from "../../core/node/networks.ts";
import type { LedgerNode } from "../../core/node/open-node.ts";
import { openNode } from "../../core/node/open-node.ts";
import { NodeError } from "../../core/node/protocol/node-error.ts";
import { requirePublicAddress } from "./archive-address.ts";
import type { ArchiveFlags } from "./options.ts";

/** Accounts asked of an archive node at a time. */
export const ARCHIVE_CONCURRENCY = 2;

/** The archive node, not yet asked anything; without a node where nothing is pruned. `horizon` is the node's oldest version. */
export type ArchiveSession = AsyncDisposable & { readonly node: LedgerNode | undefined; readonly horizon: bigint; readonly rate: number };

/** Opens the archive node that was named, or that the node names, without the API key. @throws ConfigError */
export async function openArchive(
  flags: ArchiveFlags,
  io: Io,
  { node, stop, log }: Pick<RunWork, "node" | "stop" | "log">,
): Promise<ArchiveSession> {
  const { head } = await node.index(stop.signal);
  const rate = flags.archiveRate ?? (flags.network === undefined ? unknownNode.rate : networks[flags.network].rate);
  const horizon = head.oldestVersion;
  if (horizon === 0n) return closing({ node: undefined, horizon, rate, close: async () => {} });
  const named = flags.archive === "auto" ? await namedByNode(node, stop.signal) : (flags.archive as string);
  // For tests only, which have no public host.
  const loopback = io.env["MOVEDEX_TEST_LOOPBACK_ARCHIVE"] === "1";
  const archive = openNode({
    url: await requirePublicAddress(named, { loopback }),
    rate,
    concurrency: ARCHIVE_CONCURRENCY,
    encoding: flags.encoding,
    clock: io.clock,
    proxies: proxySettings(io.env),
    log,
    chainId: head.chainId,
    contact: readVariable(io.env, "MOVEDEX_CONTACT"),
    maxRequests: requestsLeft(flags, node),
  });
  return closing({ node: archive, horizon, rate, close: archive.close });
}

/** Does the archive's part of a run, after the node's. Undefined where the run's time is over before the archive has answered. */
export async function unlessTimeIsOver<T>({ stop, log }: Pick<RunWork, "stop" | "log">, part: () => Promise<T>): Promise<T | undefined> {
  try {
    return await part();
  } catch (error) {
    if (!stop.isTimeOver(error)) throw error;
    log("warn", "the time allowed was over before the archive node had answered; the same command continues");
    return undefined;
  }
}

/** What the node's gateway says of version 0, which it has pruned. @throws ConfigError when it names no archive */
async function namedByNode(node: LedgerNode, signal: AbortSignal): Promise<string> {
  try {
    await node.account(frameworkAccounts[0] as Address, { version: 0n }, signal);
  } catch (error) {
    if (!(error instanceof NodeError) || error.kind !== "pruned") throw error;
    if (error.archivalEndpoint !== undefined) return error.archivalEndpoint;
  }
  throw new ConfigError(`${node.url} names no archive node for pruned versions. Name one with --archive URL, or leave --archive out.`);
}

/** What is left of the run's requests; undefined where they are not limited. */
export function requestsLeft({ maxRequests }: ArchiveFlags, node: LedgerNode): number | undefined {
  return maxRequests === undefined ? undefined : Math.max(1, maxRequests - node.stats().requests);
}
