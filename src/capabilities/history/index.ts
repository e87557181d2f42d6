import type { Capability } from "../../core/cli/capability.ts";

export const history: Capability = {
  name: "history",
  commands: {
    "Look after the archive:": {
      snapshots: async () => (await import("./command.ts")).snapshotsCommand,
      runs: async () => (await import("./command.ts")).runsCommand,
    },
  },
};
