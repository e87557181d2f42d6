import { databasePath } from "../../../config.ts";
import { type BackfillRequest, backfill } from "../../../crawl/backfill/backfill.ts";
import { planBackfill } from "../../../crawl/backfill/backfill-plan.ts";
import type { Edge, Step } from "../../../crawl/backfill/backfill-points.ts";
import type { RecordCadence } from "../../../crawl/cadence/record-cadence.ts";
import { ConfigError } from "../../../errors.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { openIfThere } from "../../../work/open-if-there.ts";
import type { Io } from "../../io.ts";
import { judgeAfter } from "../../jobs/judge.ts";
import { readAccountsOption, scopeNote } from "../../options/accounts-option.ts";
import type { ArchiveFlags } from "../../options/archive-options.ts";
import { openArchive } from "../../options/archive-session.ts";
import { chooseNode } from "../../options/node-options.ts";
import { runWithNode } from "../../options/node-session.ts";
import { withRunStore } from "../../options/run-store.ts";
import { jsonLine } from "../../output/json-line.ts";
import { snapshotProgressLine } from "../../output/progress-line.ts";
import { archivePlanText, backfillWithArchive } from "./archive.ts";
import { backfillJson, backfillPlanJson, backfillPlanText, backfillText } from "./text.ts";

/** The command line of `backfill`, parsed. */
export type BackfillFlags = ArchiveFlags & {
  readonly db?: string;
  readonly every?: Step;
  readonly from?: Edge;
  readonly to?: Edge;
  readonly count?: number;
  readonly maxInferred: Step | "any";
  readonly account?: readonly Address[];
  readonly records?: RecordCadence;
  readonly pageSize?: number;
  readonly maxDuration?: number;
  readonly lease?: number;
  readonly dryRun?: boolean;
  readonly targets?: string;
  readonly json?: boolean;
};

const DAY_MS = 86_400_000;

/** Runs `backfill`: lays out what is wanted, reads what can be saved, prints what came of it. */
export async function runBackfill(flags: BackfillFlags, io: Io): Promise<ExitName> {
  const path = databasePath(flags.db, io.env);
  const request = await requestOf(flags, io);
  const choice = chooseNode(flags, io);
  if (flags.archive !== undefined && flags.from === undefined)
    throw new ConfigError("--archive reads as far back as --from says: give --from VERSION, a moment, or genesis.");
  return runWithNode(choice, flags, io, async (session) => {
    const { clock } = io;
    const { node, stop, log } = session;
    if (flags.dryRun) {
      const store = await openIfThere(path);
      try {
        const archive = flags.archive === undefined ? undefined : await openArchive(flags, io, { node, stop, log });
        const own = archive === undefined ? request : { ...request, reach: { part: "above", horizon: archive.horizon } as const };
        const plan = await planBackfill({ node, store, clock, stop, log }, own, choice.pace.rate);
        await io.stdout(flags.json ? jsonLine(backfillPlanJson(plan)) : backfillPlanText(plan));
        if (archive?.node === undefined) return "done";
        try {
          const below = { ...request, reach: { part: "archive", horizon: archive.horizon } as const };
          const more = await planBackfill({ node: archive.node, store, clock, stop, log }, below, archive.rate);
          await io.stdout(
            flags.json ? jsonLine({ archive: archive.node.url, ...backfillPlanJson(more) }) : archivePlanText(archive.node.url, more),
          );
        } finally {
          await archive.node.close();
        }
        return "done";
      } finally {
        await store?.close();
      }
    }
    return withRunStore({ ...session, command: "backfill", path, flags, choice, io }, async (surroundings) => {
      const { store } = surroundings;
      using report = snapshotProgressLine(io, log);
      const work = { ...surroundings, report: report.show };
      if (flags.archive !== undefined) {
        const exit = await backfillWithArchive(work, request, flags, io);
        await judgeAfter(store, path, io, log);
        return exit;
      }
      const summary = await backfill(work, request);
      report.end();
      await judgeAfter(store, path, io, log);
      await io.stdout(flags.json ? jsonLine(backfillJson(summary)) : backfillText(summary) + scopeNote(flags));
      return summary.exit;
    });
  });
}

async function requestOf(flags: BackfillFlags, io: Io): Promise<BackfillRequest> {
  const { from, to, count } = flags;
  const every = flags.every ?? (count === undefined ? { ms: DAY_MS } : undefined);
  return {
    points: { every, from, to, count },
    scope: await readAccountsOption(flags, io),
    maxInferred: flags.maxInferred === "any" ? undefined : flags.maxInferred,
    maxRequests: flags.maxRequests,
    records: flags.records,
  };
}
