import type { Capability } from "../../core/cli/capability.ts";

export const status: Capability = {
  name: "status",
  needs: ["horizon"],
  commands: {
    "Look after the archive:": {
      status: async () => (await import("./command.ts")).statusCommand,
    },
  },
};
