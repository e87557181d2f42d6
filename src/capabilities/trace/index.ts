import type { Capability } from "../../core/cli/capability.ts";

export const trace: Capability = {
  name: "trace",
  needs: ["archival", "horizon"],
  commands: {
    "Archive a ledger:": {
      trace: async () => (await import("./command.ts")).traceCommand,
    },
  },
  nightParts: async () => [(await import("./night.ts")).nightPart],
};
