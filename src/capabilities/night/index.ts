import type { Capability } from "../../core/cli/capability.ts";

export const night: Capability = {
  name: "night",
  commands: {
    "Archive a ledger:": {
      night: async (capabilities) => {
        const { nightCommand, nightParts } = await import("./command.ts");
        const parts = await nightParts(capabilities);
        return () => nightCommand(parts);
      },
    },
  },
};
