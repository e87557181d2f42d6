import type { Capability } from "../../core/cli/capability.ts";

export const search: Capability = {
  name: "search",
  commands: {
    "Look at modules:": {
      search: async () => (await import("./command.ts")).searchCommand,
    },
  },
};
