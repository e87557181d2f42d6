import type { Capability } from "../../core/cli/capability.ts";

export const importing: Capability = {
  name: "import",
  needs: ["archival", "decode", "trace"],
  commands: {
    "Share the archive:": {
      import: async () => (await import("./command.ts")).importCommand,
    },
  },
};
