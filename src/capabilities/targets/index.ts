import type { Capability } from "../../core/cli/capability.ts";

export const targets: Capability = {
  name: "targets",
  accountLists: async () => import("./file/account-lists.ts"),
  commands: {
    "Archive a ledger:": {
      targets: async () => (await import("./command.ts")).targetsCommand,
    },
  },
};
