import type { Capability } from "../../core/cli/capability.ts";

export const importing: Capability = {
  name: "import",
  commands: {
    "Share the archive:": {
      import: async () => (await import("./command.ts")).importCommand,
    },
  },
};
