import type { Capability } from "../../core/cli/capability.ts";

export const report: Capability = {
  name: "report",
  needs: ["gaps", "changes", "watch"],
  commands: {
    "Ask the archive:": {
      report: async () => (await import("./command.ts")).reportCommand,
    },
  },
  nightParts: async () => [(await import("./night.ts")).nightPart],
};
