import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";

export const pages: Capability = {
  name: "pages",
  needs: ["serve", "changes"],
  commands: {
    "": {
      "console-worker": async () => () =>
        new MovedexCommand("console-worker").runsFrom(async () => (await import("./console-worker.ts")).runConsoleWorker),
    },
  },
};
