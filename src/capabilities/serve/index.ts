import type { Capability } from "../../core/cli/capability.ts";

export const serve: Capability = {
  name: "serve",
  commands: {
    "Share the archive:": {
      serve: async () => (await import("./command.ts")).serveCommand,
    },
  },
};
