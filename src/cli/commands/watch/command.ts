import { Command, Option } from "commander";
import { audiences, watchLevels } from "../../../abi/compare/severity.ts";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { collectNumber, dbOption } from "../../options/options.ts";
import { addTellOptions, type TellFlags } from "../../options/tell-options.ts";
import { jsonArrayOption, jsonLinesOption, type ListOutput } from "../../output/list-output.ts";
import type { Settings } from "../../settings/settings.ts";
import type { AddFlags } from "./run.ts";

type DbFlag = { readonly db?: string };

export function watchCommand(io: Io, settings: Settings): Command {
  const watch = new Command("watch")
    .summary("get an alert when a module you depend on changes")
    .description(
      "Watch accounts, modules and functions. Every run that stores something judges each new change once, by the rules of `diff`. Changes of the watch's level or worse become alerts. See the view `alerts`, `report` and the pages.",
    );
  watch
    .command("add")
    .description("Watch an account, a module, a function or struct, or everything that your modules depend on.")
    .argument("[subject...]", "0x1, 0x1::coin or 0x1::coin::withdraw")
    .option("--mine <directory>", "your compiled package; watch whatever it uses, at any depth")
    .addOption(new Option("--for <audience>", "who must be affected (default: all; with --mine: callers)").choices([...audiences]))
    .addOption(new Option("--level <level>", "alert on changes of this level or worse").choices([...watchLevels]).default("breaking"))
    .option("--since <version>", "also judge changes after this ledger version; `oldest` for all (default: new changes)")
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex watch add 0x1::coin --for callers --level dangerous --db night.db")
    .action(async (subjects: string[], flags: DbFlag & AddFlags) => {
      const { addWatches } = await import("./run.ts");
      await addWatches(io, databasePath(flags.db, io.env), subjects, flags);
    });
  watch
    .command("list")
    .description("List the watches and their number of alerts.")
    .option("--all", "include removed watches")
    .addOption(jsonArrayOption())
    .option(...jsonLinesOption)
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex watch list --db night.db")
    .action(async (flags: DbFlag & ListOutput & { readonly all?: boolean }) => {
      const { listWatches } = await import("./run.ts");
      await listWatches(io, databasePath(flags.db, io.env), flags);
    });
  watch
    .command("remove")
    .description("Remove watches. Their alerts stay.")
    .argument("<number...>", "numbers from `watch list`", collectNumber)
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex watch remove 1 --db night.db")
    .action(async (numbers: number[], flags: DbFlag) => {
      const { removeWatches } = await import("./run.ts");
      await removeWatches(io, databasePath(flags.db, io.env), numbers);
    });
  const test = watch
    .command("test")
    .description("Send a test message to each receiver. Nothing is recorded.")
    .option(...dbOption);
  addTellOptions(test)
    .addHelpText("after", "\nExample:\n  $ movedex watch test --alerts-file alerts.jsonl --db night.db")
    .action(async (flags: DbFlag & TellFlags) => {
      const { testPlaces } = await import("./run.ts");
      await testPlaces(io, databasePath(flags.db, io.env), flags, settings.places());
    });
  return watch;
}
