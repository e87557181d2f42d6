import type { Capability } from "../../core/cli/capability.ts";

export const watch: Capability = {
  name: "watch",
  needs: ["compare"],
  commands: {
    "Look at modules:": {
      watch: async () => (await import("./watch/command.ts")).watchCommand,
      tell: async () => (await import("./tell/command.ts")).tellCommand,
    },
  },
  nightParts: async () => [(await import("./tell/night.ts")).nightPart],
};
