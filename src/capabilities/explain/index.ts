import type { Capability } from "../../cli/capability.ts";

export const explain: Capability = {
  name: "explain",
  commands: { "Look at modules:": { explain: async () => (await import("./command.ts")).explainCommand } },
};
