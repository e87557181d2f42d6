import type { Command } from "commander";

/** The options by which a job tells others how it went. */
export type NoticeFlags = { readonly pingUrl?: string; readonly metricsFile?: string; readonly summaryFile?: string };

/** Adds the options of `NoticeFlags` to a command. */
export function addNoticeOptions(command: Command): Command {
  return command
    .optionsGroup("Telling others:")
    .option(
      "--ping-url <url>",
      "GET <url>/start at the start, <url> when it ended with 0, <url>/fail when not; 5 s each, never fatal (or MOVEDEX_PING_URL)",
    )
    .option("--metrics-file <file>", "write how it went and what is held, for Prometheus' textfile collector, whole or not at all")
    .option("--summary-file <file>", "add one line of JSON for the run");
}
