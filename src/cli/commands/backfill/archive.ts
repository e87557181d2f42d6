import { plural } from "../../../base/plural.ts";
import { contact, proxySettings } from "../../../config.ts";
import { type BackfillRequest, type BackfillSummary, backfill } from "../../../crawl/backfill/backfill.ts";
import type { BackfillPlan } from "../../../crawl/backfill/backfill-plan.ts";
import { assertArchiveAgrees } from "../../../crawl/check/archive-agrees.ts";
import type { SyncWork } from "../../../crawl/night/sync.ts";
import { frameworkAccounts, listScope } from "../../../crawl/targets/targets.ts";
import { ConfigError } from "../../../errors.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { requirePublicAddress } from "../../../node/archive-address.ts";
import type { LedgerNode } from "../../../node/ledger-node.ts";
import { networks } from "../../../node/networks.ts";
import { NodeError } from "../../../node/node-error.ts";
import { openNode } from "../../../node/open-node.ts";
import type { Io } from "../../io.ts";
import { gravest } from "../../jobs/job.ts";
import { scopeNote } from "../../options/accounts-option.ts";
import type { NodeFlags } from "../../options/node-options.ts";
import { jsonLine } from "../../output/json-line.ts";
import { backfillJson, backfillPlanText, backfillText } from "./text.ts";

/** The part of the command line of `backfill` that an archive node needs. */
export type ArchiveFlags = NodeFlags & {
  readonly archive?: string;
  readonly archiveRate?: number;
  readonly targets?: string;
  readonly json?: boolean;
};

/** For an archive node of which nothing is known. */
const UNKNOWN_RATE = 5;
const CONCURRENCY = 2;

/** The archive node, not yet asked anything; without a node where nothing is pruned. `horizon` is the node's oldest version. */
export type ArchiveSession = { readonly node: LedgerNode | undefined; readonly horizon: bigint; readonly rate: number };

/**
 * Reads what the node still has, then from its archive what is below the node's horizon. The node comes first, since only there
 * anything can be lost meanwhile. The archive is compared with the node and with what is stored before any of its answers is kept.
 */
export async function backfillWithArchive(work: SyncWork, request: BackfillRequest, flags: ArchiveFlags, io: Io): Promise<ExitName> {
  const archive = await openArchive(flags, io, work);
  try {
    const first = await backfill(work, { ...request, reach: { part: "above", horizon: archive.horizon } });
    await print(first, undefined, flags, io);
    if (archive.node === undefined || first.stoppedBy !== undefined) return first.exit;
    const scope = await listScope(work.store, request.scope);
    await assertArchiveAgrees(work.node, archive.node, scope, work.stop.signal);
    const second = await backfill(
      { ...work, node: archive.node, concurrency: CONCURRENCY },
      {
        ...request,
        maxRequests: leftOf(flags, work.node),
        reach: { part: "archive", horizon: archive.horizon },
      },
    );
    await print(second, archive.node.url, flags, io);
    return gravest([first.exit, second.exit]);
  } finally {
    await archive.node?.close();
  }
}

/** Opens the archive node that was named, or that the node names, without the API key. @throws ConfigError */
export async function openArchive(
  flags: ArchiveFlags,
  io: Io,
  { node, stop, log }: Pick<SyncWork, "node" | "stop" | "log">,
): Promise<ArchiveSession> {
  const { head } = await node.index(stop.signal);
  const rate = flags.archiveRate ?? (flags.network === undefined ? UNKNOWN_RATE : networks[flags.network].rate);
  const horizon = head.oldestVersion;
  if (horizon === 0n) return { node: undefined, horizon, rate };
  const named = flags.archive === "auto" ? await namedByNode(node, stop.signal) : (flags.archive as string);
  // For tests only, which have no public host.
  const loopback = io.env["MOVEDEX_TEST_LOOPBACK_ARCHIVE"] === "1";
  const who = contact(io.env);
  const left = leftOf(flags, node);
  const archive = openNode({
    url: await requirePublicAddress(named, { loopback }),
    rate,
    concurrency: CONCURRENCY,
    encoding: flags.encoding,
    clock: io.clock,
    proxies: proxySettings(io.env),
    log,
    chainId: head.chainId,
    ...(who === undefined ? {} : { contact: who }),
    ...(left === undefined ? {} : { maxRequests: left }),
  });
  return { node: archive, horizon, rate };
}

/** An archive's part of a plan in words. Most accounts will be inferred, which only reading can tell. */
export function archivePlanText(url: string, plan: BackfillPlan): string {
  return `from the archive node ${url}, at most (equal ends are not split further): ${plural(plan.requests, "request")}\n${backfillPlanText(plan)}`;
}

/** What the node's gateway says of version 0, which it has pruned. @throws ConfigError when it names no archive */
async function namedByNode(node: LedgerNode, signal: AbortSignal): Promise<string> {
  try {
    await node.account(frameworkAccounts[0] as Address, { version: 0n }, signal);
  } catch (error) {
    if (!(error instanceof NodeError) || error.kind !== "pruned") throw error;
    if (error.archivalEndpoint !== undefined) return error.archivalEndpoint;
  }
  throw new ConfigError(`${node.url} names no archive node for what it has pruned. Name one with --archive URL, or leave --archive out.`);
}

function leftOf({ maxRequests }: ArchiveFlags, node: LedgerNode): number | undefined {
  return maxRequests === undefined ? undefined : Math.max(1, maxRequests - node.stats().requests);
}

async function print(summary: BackfillSummary, url: string | undefined, flags: ArchiveFlags, io: Io): Promise<void> {
  if (flags.json) return await io.stdout(jsonLine({ ...(url === undefined ? {} : { archive: url }), ...backfillJson(summary) }));
  const heading = url === undefined ? "" : `from the archive node ${url}:\n`;
  await io.stdout(heading + backfillText(summary) + scopeNote(flags));
}
