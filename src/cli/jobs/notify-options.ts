import type { DeclaredCommand } from "../declared-command.ts";

/** The options by which a job tells others how it went. */
export type NotifyFlags = { readonly pingUrl?: string; readonly metricsFile?: string; readonly summaryFile?: string };

export function addNotifyOptions(command: DeclaredCommand): DeclaredCommand {
  return command
    .optionsGroup("Monitoring:")
    .option(
      "--ping-url <url>",
      "request <url>/start at the start, then <url> or <url>/fail; a failed ping never fails the run (or MOVEDEX_PING_URL)",
    )
    .option("--metrics-file <file>", "write metrics for the textfile collector of Prometheus")
    .option("--summary-file <file>", "append one line of JSON about the run");
}
