import { assertArchiveAgrees } from "../../../crawl/check/archive-agrees.ts";
import { type TraceSummary, trace } from "../../../crawl/trace/trace.ts";
import type { TraceWork } from "../../../crawl/trace/trace-group.ts";
import type { TraceRequest } from "../../../work/trace/traces.ts";
import type { Io } from "../../io.ts";
import type { ArchiveFlags } from "../../options/archive-options.ts";
import { ARCHIVE_CONCURRENCY, openArchive } from "../../options/archive-session.ts";

/** A trace on an archive node. */
export type ArchiveTrace = { readonly url: string; readonly summary: TraceSummary };

/**
 * Traces at an archive node the changes that the node has pruned. Before any answer is kept, the archive is compared with the node and
 * the database. Each probe keeps its source. Undefined where nothing is left to trace.
 *
 * @throws WrongChainError when the archive is of another ledger; ConfigError when it may not be asked
 */
export async function traceAtArchive(
  work: TraceWork,
  request: TraceRequest,
  first: TraceSummary,
  flags: ArchiveFlags,
  io: Io,
): Promise<ArchiveTrace | undefined> {
  const pruned = first.changes.filter(({ state }) => state === "unreadable");
  if (flags.archive === undefined || pruned.length === 0 || first.stoppedBy !== undefined) return undefined;
  const { node: archive } = await openArchive(flags, io, work);
  if (archive === undefined) return undefined;
  try {
    await assertArchiveAgrees(work.node, archive, [...new Set(pruned.map(({ address }) => address))], work.stop.signal);
    const summary = await trace({ ...work, node: archive, concurrency: ARCHIVE_CONCURRENCY, source: archive.url }, request);
    return { url: archive.url, summary };
  } finally {
    await archive.close();
  }
}
