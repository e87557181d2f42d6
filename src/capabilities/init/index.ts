import type { Capability } from "../../core/cli/capability.ts";

export const init: Capability = {
  name: "init",
  commands: {
    "Archive a ledger:": {
      init: async () => (await import("./command.ts")).initCommand,
    },
  },
  readsOthers: ["init"],
};
