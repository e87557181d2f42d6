import { InvalidArgumentError } from "commander";
import { MovedexCommand } from "../../movedex-command.ts";
import type { SiteFlags } from "./run.ts";

export function siteCommand(): MovedexCommand {
  return new MovedexCommand("site")
    .summary("write the explorer as files that any web server serves")
    .description(
      "Write the explorer as files: pages of the newest snapshot, all versions of each module, what changed between them, a search that works in the browser, a feed, and the archive as Parquet. Write into the same directory again after each night: what did not change stays as it is.",
    )
    .argument("<directory>", "the directory to write to; created if missing")
    .option("--base-url <url>", "the address that the site will have; its links are relative without it", parseBase)
    .option("--no-data", "write no Parquet beside the pages")
    .option("--dry-run", "say how many files and bytes it will be, and how long it will take; write nothing")
    .database()
    .option("--json", "print one JSON object at the end")
    .examples("site public --db night.db")
    .runs(async ({ io, run }, directory: string, flags: SiteFlags) => (await import("./run.ts")).runSite(io, run, directory, flags));
}

function parseBase(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "")
    throw new InvalidArgumentError("Give an address such as https://example.org/movedex/.");
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}
