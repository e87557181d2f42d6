import type { Capability } from "../../core/cli/capability.ts";

export const verify: Capability = {
  name: "verify",
  commands: {
    "Look after the archive:": {
      verify: async () => (await import("./command.ts")).verifyCommand,
    },
  },
  nightParts: async () => [(await import("./night.ts")).nightPart],
};
