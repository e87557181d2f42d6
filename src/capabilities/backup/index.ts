import type { Capability } from "../../core/cli/capability.ts";

export const backup: Capability = {
  name: "backup",
  needs: ["verify"],
  commands: {
    "Look after the archive:": {
      backup: async () => (await import("./command.ts")).backupCommand,
      restore: async () => (await import("./command.ts")).restoreCommand,
    },
  },
  nightParts: async () => [(await import("./night.ts")).nightPart],
};
