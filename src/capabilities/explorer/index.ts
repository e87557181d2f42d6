import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { wholeNumber } from "../../core/cli/options/options.ts";

export const explorer: Capability = {
  name: "explorer",
  needs: ["backfill", "gaps", "horizon", "pages", "serve", "search", "effects", "changes", "watch", "explain", "cookbook", "uses"],
  commands: { "Share the archive:": { open: async () => openCommand } },
  pages: async () => (await import("./open.ts")).pagesPlugin,
};

function openCommand(): MovedexCommand {
  return new MovedexCommand("open")
    .summary("open the archive in a browser")
    .description("Serve the pages of the archive on this machine, and open them in a browser (or in that of BROWSER). Ctrl-C ends it.")
    .option("--port <n>", "the port to listen on; 0 for any free port", wholeNumber(0, 65_535), 0)
    .database()
    .examples("open --db night.db")
    .runsFrom(async () => (await import("./open.ts")).runOpen);
}
