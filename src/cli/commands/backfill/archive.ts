import { plural } from "../../../base/plural.ts";
import { type BackfillRequest, type BackfillSummary, backfill } from "../../../crawl/backfill/backfill.ts";
import type { BackfillPlan } from "../../../crawl/backfill/backfill-plan.ts";
import { assertArchiveAgrees } from "../../../crawl/check/archive-agrees.ts";
import type { SyncWork } from "../../../crawl/night/sync.ts";
import { listScope } from "../../../crawl/targets/targets.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { gravest } from "../../jobs/job.ts";
import { scopeNote } from "../../options/accounts-option.ts";
import type { ArchiveFlags } from "../../options/archive-options.ts";
import { ARCHIVE_CONCURRENCY, openArchive, requestsLeft } from "../../options/archive-session.ts";
import { jsonLine } from "../../output/json-line.ts";
import { backfillJson, backfillPlanText, backfillText } from "./text.ts";

/** What is printed depends on these. */
type PrintFlags = ArchiveFlags & { readonly targets?: string; readonly json?: boolean };

/**
 * Reads the points that the node still has, then those below its horizon from an archive node. The node comes first, since it prunes
 * meanwhile. Before any answer is kept, the archive is compared with the node and the database.
 */
export async function backfillWithArchive(work: SyncWork, request: BackfillRequest, flags: PrintFlags, io: Io): Promise<ExitName> {
  const archive = await openArchive(flags, io, work);
  try {
    const first = await backfill(work, { ...request, reach: { part: "above", horizon: archive.horizon } });
    await print(first, undefined, flags, io);
    if (archive.node === undefined || first.stoppedBy !== undefined) return first.exit;
    const scope = await listScope(work.store, request.scope);
    await assertArchiveAgrees(work.node, archive.node, scope, work.stop.signal);
    const second = await backfill(
      { ...work, node: archive.node, concurrency: ARCHIVE_CONCURRENCY },
      {
        ...request,
        maxRequests: requestsLeft(flags, work.node),
        reach: { part: "archive", horizon: archive.horizon },
      },
    );
    await print(second, archive.node.url, flags, io);
    return gravest([first.exit, second.exit]);
  } finally {
    await archive.node?.close();
  }
}

/** An archive's part of a plan in words. Most accounts will be inferred, which only reading can tell. */
export function archivePlanText(url: string, plan: BackfillPlan): string {
  return `from the archive node ${url}, at most (equal ends are not split further): ${plural(plan.requests, "request")}\n${backfillPlanText(plan)}`;
}

async function print(summary: BackfillSummary, url: string | undefined, flags: PrintFlags, io: Io): Promise<void> {
  if (flags.json) return await io.stdout(jsonLine({ ...(url === undefined ? {} : { archive: url }), ...backfillJson(summary) }));
  const heading = url === undefined ? "" : `from the archive node ${url}:\n`;
  await io.stdout(heading + backfillText(summary) + scopeNote(flags));
}
