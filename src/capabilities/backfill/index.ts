import type { Capability } from "../../core/cli/capability.ts";

export const backfill: Capability = {
  name: "backfill",
  needs: ["archival", "horizon"],
  commands: {
    "Archive a ledger:": {
      backfill: async () => (await import("./command.ts")).backfillCommand,
    },
  },
  nightParts: async () => [(await import("./night.ts")).nightPart],
};
