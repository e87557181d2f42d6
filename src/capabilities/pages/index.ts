import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { CONSOLE_WORKER } from "./console-process.ts";

export const pages: Capability = {
  name: "pages",
  needs: ["serve", "changes"],
  commands: { "": { [CONSOLE_WORKER]: async () => consoleWorkerCommand } },
};

function consoleWorkerCommand(): MovedexCommand {
  return new MovedexCommand(CONSOLE_WORKER).runsFrom(async () => (await import("./console-worker.ts")).runConsoleWorker);
}
