import type { Capability } from "../../core/cli/capability.ts";
import { readVariable } from "../../core/cli/config.ts";
import type { NotifyFlags } from "./notify.ts";

export const monitoring: Capability = {
  name: "monitoring",
  needs: ["horizon"],
  notices: {
    declare: (command) =>
      command
        .optionsGroup("Monitoring:")
        .option(
          "--ping-url <url>",
          "request <url>/start at the start, then <url> or <url>/fail; a failed ping never fails the run (or MOVEDEX_PING_URL)",
        )
        .option("--metrics-file <file>", "write metrics for the textfile collector of Prometheus")
        .option("--summary-file <file>", "append one line of JSON about the run"),
    outputs: ({ metricsFile, summaryFile }: NotifyFlags) => [
      ...(metricsFile === undefined ? [] : [{ what: "metrics file", path: metricsFile }]),
      ...(summaryFile === undefined ? [] : [{ what: "summary file", path: summaryFile, isAppended: true }]),
    ],
    refuse: async (asked) => (await import("./notify.ts")).pingsOf(asked),
    isAsked: ({ io, flags }) =>
      ["pingUrl", "pingUrls", "metricsFile", "summaryFile"].some((name) => name in flags) ||
      io.takeStart !== undefined ||
      readVariable(io.env, "MOVEDEX_PING_URL") !== undefined,
    ofRun: async (run, work) => (await import("./notify.ts")).notifyOfRun(run, work),
    ofSections: async (sections, surroundings) => {
      const { SectionPings } = await import("./pings.ts");
      return new SectionPings(sections, surroundings);
    },
  },
};
