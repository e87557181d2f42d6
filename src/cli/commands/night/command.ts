import { runEachSection } from "../../jobs/each-section.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { parseStep, parseVersionCount, wholeNumber } from "../../options/options.ts";
import type { NightFlags } from "./steps.ts";

export function nightCommand(): MovedexCommand {
  return new MovedexCommand("night")
    .summary("run the whole nightly job: sync, trace, verify, backup …")
    .description(
      "Run the whole nightly job under one lock: sync, backfill, trace, gaps, verify of one part, backup, report. If a step fails, the steps that do not depend on it still run. The exit code is that of the gravest failure. A settings file with several sections runs their nights one after the other.",
    )
    .sharedNode("stop sync, backfill and trace after this time each (90s, 30m, 6h …)")
    .ages()
    .records()
    .optionsGroup("Steps:")
    .option(
      "--lag <n>",
      "read n versions behind the newest, and wait for up to 2 min to know the time exactly (default: the network's, else 0)",
      parseVersionCount,
    )
    .option("--backfill <step>", "also save older versions, one per 1d, 12h or N versions (default: none)", parseStep)
    .option("--trace-requests <n>", "requests for trace; 0 for no trace", wholeNumber(0, 1e12), 1000)
    .option("--slices <n>", "verify 1/n of the database; 0 for no verification", wholeNumber(0, 10_000), 7)
    .option("--backup <path>", "make a compressed backup: a file, or a directory with one file per day")
    .retention("with a directory: keep the newest n backups")
    .option("--report <file>", "write the changes to this file: Markdown, or by its name HTML or text")
    .option("--base-url <url>", "link the report to the pages of `serve` at this address")
    .option("--weekly", "verify everything instead, under its own lock")
    .optionsGroup("Store and output:")
    .database()
    .option("--dry-run", "print the commands; run none")
    .printsJson(async () => (await import("./result.ts")).nightResults, "print one JSON object at the end instead of one line")
    .monitoring()
    .examples("night --network aptos-mainnet --backup backups/ --report changes.md")
    .runs(async (line, flags: NightFlags) => {
      const { runNight } = await import("./run.ts");
      return runEachSection(line, flags, () => runNight(line, flags));
    });
}
