import { Option } from "commander";
import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import type { NightPart } from "../../core/cli/night-part.ts";
import { parseVersionCount, wholeNumber } from "../../core/cli/options/options.ts";
import type { SyncSummary } from "../../core/crawl/night/summary.ts";
import type { LateAnswers } from "./read-report.ts";
import type { StepFlags } from "./run.ts";

export const report: Capability = {
  name: "report",
  needs: ["gaps", "changes", "watch"],
  commands: { "Ask the archive:": { report: async () => reportCommand } },
  nightParts: async () => [nightPart],
};

function reportCommand(): MovedexCommand {
  return new MovedexCommand("report")
    .summary("print what changed last night")
    .description(
      "Print what changed since the last finished report of a night: new accounts, rotated keys, and modules added, changed or removed. Without an earlier report, print what the newest snapshot changed.",
    )
    .addOption(new Option("--last", "compare the newest snapshot with that of the run before").conflicts("since"))
    .option("--since <version>", "include all snapshots after this ledger version", parseVersionCount)
    .option("--limit <n>", "list at most n rows of each kind in --json", wholeNumber(0, 1_000_000), 1000)
    .option("--out <file>", "write to this file instead of stdout")
    .choice("-f, --format <format>", "output format (default: by the name of --out, else markdown)", ["markdown", "html", "text"])
    .option("--base-url <url>", "link to the pages of `serve` at this address")
    .addOption(new Option("--json", "print one JSON object instead").conflicts("format"))
    .prints(async () => (await import("./result.ts")).reportResult)
    .database()
    .ages()
    .examples("report --last --db night.db")
    .runsFrom(async () => (await import("./run.ts")).runReport);
}

/** What changed since the last night that reported. */
const nightPart: NightPart<{ readonly report?: string; readonly baseUrl?: string }, StepFlags> = {
  name: "report",
  declare: (command) =>
    command
      .option("--report <file>", "write the changes to this file: Markdown, or by its name HTML or text")
      .option("--base-url <url>", "link the report to the pages of `serve` at this address"),
  outputs: ({ report }) => (report === undefined ? [] : [{ what: "report", path: report }]),
  refuse: async ({ baseUrl }) => {
    if (baseUrl !== undefined) (await import("../changes/pages/page-links.ts")).pagesAddress(baseUrl, "--base-url");
  },
  turn: ({ flags: { report: out, baseUrl }, notedVersion: noted, reportedVersion, shared: { ages, database } }) => ({
    flags: {
      // What a night sealed that was killed before its report is in the next one.
      ...(reportedVersion === undefined ? { last: true } : { since: reportedVersion }),
      ...ages,
      ...(out === undefined ? { limit: 0, ...database } : { out, baseUrl, db: database.db }),
    },
    given: (read) => ({ noted, late: read.flatMap(lateIn) }),
  }),
  load: async () => (await import("./run.ts")).step,
};

/** What the night read late, into snapshots that an earlier report covers. */
function lateIn({ ledgerVersion, retried }: SyncSummary): LateAnswers[] {
  return retried === undefined || retried.filled.length === 0 ? [] : [{ ledgerVersion, accounts: retried.filled }];
}
