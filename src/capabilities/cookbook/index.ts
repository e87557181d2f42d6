import type { Capability } from "../../core/cli/capability.ts";

export const cookbook: Capability = {
  name: "cookbook",
  commands: {
    "Ask the archive:": {
      cookbook: async () => (await import("./command.ts")).cookbookCommand,
    },
  },
  addsTo: {
    query: async () => (await import("./command.ts")).readyQueries,
  },
};
