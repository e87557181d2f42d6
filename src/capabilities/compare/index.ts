import type { Capability } from "../../core/cli/capability.ts";

export const compare: Capability = {
  name: "compare",
  needs: ["changes", "uses"],
  commands: {
    "Look at modules:": {
      diff: async () => (await import("./diff/command.ts")).diffCommand,
      check: async () => (await import("./check/command.ts")).checkCommand,
      lock: async () => (await import("./lock/command.ts")).lockCommand,
    },
  },
};
