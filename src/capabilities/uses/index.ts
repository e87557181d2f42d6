import type { Capability } from "../../core/cli/capability.ts";

export const uses: Capability = {
  name: "uses",
  commands: {
    "Look at modules:": {
      uses: async () => (await import("./command.ts")).usesCommand,
    },
  },
};
