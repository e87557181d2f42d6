import type { Capability } from "../../core/cli/capability.ts";

export const gaps: Capability = {
  name: "gaps",
  needs: ["horizon"],
  commands: {
    "Look after the archive:": {
      gaps: async () => (await import("./command.ts")).gapsCommand,
    },
  },
  nightParts: async () => [(await import("./night.ts")).nightPart],
};
