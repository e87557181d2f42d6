import type { Capability } from "../../core/cli/capability.ts";

export const watch: Capability = {
  name: "watch",
  needs: ["monitoring", "changes", "uses", "compare"],
  commands: {
    "Look at modules:": {
      watch: async () => (await import("./watch/command.ts")).watchCommand,
      tell: async () => (await import("./tell/command.ts")).tellCommand,
    },
  },
  afterSeal: async () => (await import("./judge/judge-new-changes.ts")).judgeForWatches,
  warnings: async () => (await import("./hooks.ts")).warningsOfWatches,
  tracedFirst: async () => (await import("./alerts/watches.ts")).isAlerted,
  metrics: async () => (await import("./hooks.ts")).metricsOfPlaces,
  nightParts: async () => [(await import("./tell/night.ts")).nightPart],
};
