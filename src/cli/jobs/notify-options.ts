import type { Command } from "commander";

/** The options by which a job tells others how it went. */
export type NotifyFlags = { readonly pingUrl?: string; readonly metricsFile?: string; readonly summaryFile?: string };

/** Adds the options of `NotifyFlags` to a command. */
export function addNotifyOptions(command: Command): Command {
  return command
    .optionsGroup("Monitoring:")
    .option(
      "--ping-url <url>",
      "GET <url>/start at the start, <url> after success, <url>/fail after failure; at most 5 s each, and a failed ping is only logged (or MOVEDEX_PING_URL)",
    )
    .option("--metrics-file <file>", "write metrics of the run and the archive for the textfile collector of Prometheus")
    .option("--summary-file <file>", "append one line of JSON for the run");
}
