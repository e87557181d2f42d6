import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";

export const status: Capability = {
  name: "status",
  needs: ["horizon"],
  commands: { "Look after the archive:": { status: async () => statusCommand } },
};

function statusCommand(): MovedexCommand {
  return new MovedexCommand("status")
    .summary("print what the archive holds and lacks")
    .description("Print what the database holds and lacks, how fast the node prunes, and what becomes unreadable when. Sends no request.")
    .database()
    .printsJson(async () => (await import("./run.ts")).statusResult)
    .ages()
    .examples("status --db night.db")
    .runsFrom(async () => (await import("./run.ts")).runStatus);
}
