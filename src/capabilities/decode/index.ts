import type { Capability } from "../../core/cli/capability.ts";

export const decode: Capability = {
  name: "decode",
  commands: {
    "Look at modules:": {
      decode: async () => (await import("./command.ts")).decodeCommand,
    },
  },
};
