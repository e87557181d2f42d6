import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import type { DatabaseFlags } from "../../core/cli/options/declared-command.ts";
import { repeatable, wholeNumber } from "../../core/cli/options/options.ts";
import { audiences } from "../changes/compare/severity.ts";
import { addReceivers, type TellFlags, watchLevels } from "./receivers.ts";
import type { RunTellFlags } from "./tell/run.ts";

export function watchCommand(): MovedexCommand {
  const watch = new MovedexCommand("watch")
    .summary("get an alert when a module you depend on changes")
    .description(
      "Watch accounts, modules and functions. Every run that stores something judges each new change once, by the rules of `diff`. Changes of the watch's level or worse become alerts. See the view `alerts`, `report` and the pages.",
    );
  watch
    .command("add")
    .description("Watch an account, a module, a function or struct, or everything that your modules reach, by their lock.")
    .argument("[subject...]", "0x1, 0x1::coin (or coin), 0x1::coin::withdraw, or a file that `movedex lock` wrote")
    .choice("--for <audience>", "who must be affected (default: all; of a lock: callers)", audiences)
    .choice("--level <level>", "alert on changes of this level or worse (default: breaking; of a lock: behaviour)", watchLevels)
    .option("--since <version>", "also judge changes after this ledger version; `oldest` for all (default: new changes)")
    .database()
    .examples("watch add 0x1::coin --for callers --level dangerous --db night.db")
    .runsFrom(async () => (await import("./watch/run.ts")).addWatches);
  watch
    .command("list")
    .description("List the watches and their number of alerts.")
    .option("--all", "include removed watches")
    .printsList(async () => (await import("./watch/run.ts")).watchList.entry)
    .database()
    .examples("watch list --db night.db")
    .runsFrom(async () => (await import("./watch/run.ts")).listWatches);
  watch
    .command("remove")
    .description("Remove watches. Their alerts stay.")
    .argument("<number...>", "numbers from `watch list`", repeatable(wholeNumber(1, 1e12)))
    .database()
    .examples("watch remove 1 --db night.db")
    .runsFrom(async () => (await import("./watch/run.ts")).removeWatches);
  watch
    .command("test")
    .description("Send a test message to each receiver. Nothing is recorded.")
    .database()
    .with(addReceivers)
    .examples("watch test --alerts-file alerts.jsonl --db night.db")
    .runs(async ({ io, settings }, flags: DatabaseFlags & TellFlags) =>
      (await import("./watch/run.ts")).testPlaces(io, flags, settings.places()),
    );
  return watch;
}

export function tellCommand(): MovedexCommand {
  return new MovedexCommand("tell")
    .summary("send alerts that are waiting")
    .description(
      "Judge new changes against your watches, and send each receiver its new alerts. Every alert is sent once. If a receiver fails, the command says so, and later runs try again. `night` runs this step after trace.",
    )
    .option("--replay <version>", "send all changes after this ledger version again; `oldest` for all")
    .printsJson(async () => (await import("./tell/run.ts")).tellResult)
    .database()
    .with(addReceivers)
    .examples("tell --alerts-file alerts.jsonl --db night.db")
    .runs(async ({ io, settings }, flags: RunTellFlags) => (await import("./tell/run.ts")).runTell(io, flags, settings.places()));
}
