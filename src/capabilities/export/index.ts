import type { Capability } from "../../core/cli/capability.ts";

export const exporting: Capability = {
  name: "export",
  commands: {
    "Share the archive:": {
      export: async (capabilities) => (await import("./command.ts")).exportCommand(capabilities),
    },
  },
};
