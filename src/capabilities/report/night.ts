import type { NightPart } from "../../core/cli/night-part.ts";
import type { SyncSummary } from "../../core/crawl/night/summary.ts";
import type { LateAnswers } from "./read-report.ts";
import type { StepFlags } from "./run.ts";

/** What changed since the last night that reported. */
export const nightPart: NightPart<{ readonly report?: string; readonly baseUrl?: string }, StepFlags> = {
  name: "report",
  declare: (command) =>
    command
      .option("--report <file>", "write the changes to this file: Markdown, or by its name HTML or text")
      .option("--base-url <url>", "link the report to the pages of `serve` at this address"),
  outputs: ({ report }) => (report === undefined ? [] : [{ what: "report", path: report }]),
  refuse: async ({ baseUrl }) => {
    if (baseUrl !== undefined) (await import("../changes/pages/change-page.ts")).pagesAddress(baseUrl, "--base-url");
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
