import type { Capability } from "../../core/cli/capability.ts";

export const completions: Capability = {
  name: "completions",
  commands: {
    "About movedex:": {
      completions: async () => (await import("./command.ts")).completionsCommand,
    },
    "": {
      complete: async () => (await import("./command.ts")).completeCommand,
    },
  },
  readsOthers: ["complete"],
};
