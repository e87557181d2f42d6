import type { Capability } from "../../core/cli/capability.ts";

export const doctor: Capability = {
  name: "doctor",
  commands: {
    "Archive a ledger:": {
      doctor: async () => (await import("./command.ts")).doctorCommand,
    },
  },
};
