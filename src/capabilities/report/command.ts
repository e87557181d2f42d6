import { Option } from "commander";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { parseVersionCount, wholeNumber } from "../../core/cli/options/options.ts";

export function reportCommand(): MovedexCommand {
  return new MovedexCommand("report")
    .summary("print what changed last night")
    .description(
      "Print what changed since the last finished report of a night: new accounts, rotated keys, and modules added, changed or removed. Without an earlier report, print what the newest snapshot changed.",
    )
    .addOption(new Option("--last", "compare the newest snapshot with that of the run before").conflicts("since"))
    .option("--since <version>", "include all snapshots after this ledger version", parseVersionCount)
    .option("--limit <n>", "list at most n rows of each kind in --json", wholeNumber(0, 1_000_000), 1000)
    .option("--out <file>", "write to this file instead of stdout")
    .choice("-f, --format <format>", "output format (default: by the name of --out, else markdown)", ["markdown", "html", "text"])
    .option("--base-url <url>", "link to the pages of `serve` at this address")
    .addOption(new Option("--json", "print one JSON object instead").conflicts("format"))
    .prints(async () => (await import("./result.ts")).reportResult)
    .database()
    .ages()
    .examples("report --last --db night.db")
    .runsFrom(async () => (await import("./run.ts")).runReport);
}
