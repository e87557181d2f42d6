import { Option } from "commander";
import { parseDuration } from "../../core/base/time.ts";
import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { afterReading, type NightPart } from "../../core/cli/night-part.ts";
import { collectAddress, parserOf, readVersion } from "../../core/cli/options/options.ts";
import type { Edge, Step } from "./backfill-points.ts";
import type { BackfillFlags } from "./run.ts";

export const backfill: Capability = {
  name: "backfill",
  needs: ["horizon"],
  commands: { "Archive a ledger:": { backfill: async () => backfillCommand } },
  nightParts: async () => [nightPart],
};

/** A moment with a date and perhaps a time, in UTC unless it says otherwise. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** `1d`, `12h`, `30m`: a stretch of time; a plain number: versions. */
const parseStep = parserOf((text): Step | undefined => {
  const versions = readVersion(text);
  if (versions !== undefined && versions > 0n) return { versions };
  const ms = parseDuration(text);
  return ms !== undefined && ms >= 1000 ? { ms: Math.round(ms) } : undefined;
}, "Give a time such as 1d or 12h, or a number of versions.");

/** A ledger version, `genesis` for the first, `-N` for N below the newest, or a moment such as `2026-11-20` or `2026-11-20T04:00`. */
const parseEdge = parserOf((text): Edge | undefined => {
  if (text === "genesis") return { version: 0n };
  const version = readVersion(text.replace(/^-/, ""));
  if (version !== undefined) return text.startsWith("-") ? { behind: version } : { version };
  const atMs = MOMENT.test(text) ? Date.parse(/T\d\d:\d\d(?::\d\d)?$/.test(text) ? `${text}Z` : text) : Number.NaN;
  return Number.isFinite(atMs) && atMs >= 0 ? { atMs } : undefined;
}, "Give a ledger version, -N for N versions before the newest, or a UTC time such as 2026-11-20T04:00.");

function backfillCommand(): MovedexCommand {
  return new MovedexCommand("backfill")
    .summary("take snapshots of older versions before they are pruned")
    .description(
      "Take snapshots of older versions that the node still has. The versions that the node prunes first come first. The command says at the start how many versions it cannot save. If an account is the same before and after a version, its state there is inferred, not read, and marked so.",
    )
    .sharedNode()
    .optionsGroup("What to read:")
    .option("--every <step>", "distance between snapshots: 1d, 12h, or N versions (default: 1d)", parseStep)
    .option(
      "--from <edge>",
      "oldest end: a version, genesis, -N or a UTC time as 2026-11-20T04:00 (default: the oldest readable)",
      parseEdge,
    )
    .option("--to <edge>", "newest end, in the same forms (default: the newest version)", parseEdge)
    .addOption(
      new Option("--max-inferred <span>", "infer only between snapshots at most this far apart: a time, N versions, or any")
        .argParser((text) => (text === "any" ? text : parseStep(text)))
        .default({ ms: 7 * 86_400_000 } satisfies Step, "7d"),
    )
    .records()
    .option("-a, --account <address>", "read this account instead of the stored targets; repeatable", collectAddress)
    .option("--targets <file>", "read the accounts in this file, in this run only: one address per line, or a CSV file")
    .optionsGroup("Store and output:")
    .database()
    .option("--dry-run", "print the plan and its cost; write nothing")
    .printsJson(async () => (await import("./run.ts")).backfillResult, "print one JSON object at the end")
    .examples("backfill --every 12h --rpc http://127.0.0.1:8080/v1 --db night.db")
    .runsFrom(async () => (await import("./run.ts")).runBackfill);
}

/** Older versions, where `night` is told to save some. */
const nightPart: NightPart<{ readonly backfill?: Step }, BackfillFlags> = {
  name: "backfill",
  reads: true,
  hearsSignals: true,
  spells: { every: (step: Step) => ("ms" in step ? `${step.ms / 1000}s` : `${step.versions}`) },
  declare: (command) =>
    command.option("--backfill <step>", "also save older versions, one per 1d, 12h or N versions (default: none)", parseStep),
  turn: ({ flags: { backfill: every, maxRequests, records }, shared: { node, database } }) =>
    every && { flags: { ...node, maxRequests, every, records, ...database }, after: afterReading },
  load: async () => (await import("./run.ts")).step,
};
