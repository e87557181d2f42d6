import type { Capability } from "../../core/cli/capability.ts";

export const explain: Capability = {
  name: "explain",
  needs: ["effects", "search"],
  commands: { "Look at modules:": { explain: async () => (await import("./command.ts")).explainCommand } },
};
