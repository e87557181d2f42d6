import type { Capability } from "../../core/cli/capability.ts";

export const demo: Capability = {
  name: "demo",
  needs: ["targets"],
  commands: {
    "About movedex:": {
      demo: async () => (await import("./command.ts")).demoCommand,
    },
  },
};
