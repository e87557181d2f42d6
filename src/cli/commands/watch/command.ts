import { Command, Option } from "commander";
import { audiences, watchLevels } from "../../../abi/compare/severity.ts";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { collectNumber, dbOption } from "../../options/options.ts";
import { addTellOptions, type TellFlags } from "../../options/tell-options.ts";
import type { Settings } from "../../settings/settings.ts";
import type { AddFlags } from "./run.ts";

type DbFlag = { readonly db?: string };

/** `movedex watch …`: what somebody wants to be told of. */
export function watchCommand(io: Io, settings: Settings): Command {
  const watch = new Command("watch")
    .summary("be told when a module that you build on changes")
    .description(
      "What is watched. Each run that stores something judges the changes of watched modules by the rules of `diff`, each change once; " +
        "those from a watch's level on are its alerts. The view `alerts` has them, `report` and the pages show them.",
    );
  watch
    .command("add")
    .description("watch an account, a module, one of its items, or all that your own modules depend on")
    .argument("[subject...]", "0x1, 0x1::coin or 0x1::coin::withdraw")
    .option("--mine <directory>", "your compiled package: all that it depends on is watched, at any depth, in what it uses of it")
    .addOption(new Option("--for <audience>", "judge changes for these only (default: all; with --mine: callers)").choices([...audiences]))
    .addOption(new Option("--level <level>", "be told of changes that are this bad or worse").choices([...watchLevels]).default("breaking"))
    .option("--since <version>", "also changes above this ledger version; `oldest` for all that are held (default: those to come)")
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex watch add 0x1::coin --for callers --level dangerous --db night.db")
    .action(async (subjects: string[], flags: DbFlag & AddFlags) => {
      const { addWatches } = await import("./run.ts");
      await addWatches(io, databasePath(flags.db, io.env), subjects, flags);
    });
  watch
    .command("list")
    .description("print what is watched, and how many alerts each watch has had")
    .option("--all", "also removed watches")
    .option("--json", "one JSON object a line")
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex watch list --db night.db")
    .action(async (flags: DbFlag & { readonly all?: boolean; readonly json?: boolean }) => {
      const { listWatches } = await import("./run.ts");
      await listWatches(io, databasePath(flags.db, io.env), flags);
    });
  watch
    .command("remove")
    .description("end watches; the alerts that they have had stay")
    .argument("<number...>", "numbers of watches, see `watch list`", collectNumber)
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex watch remove 1 --db night.db")
    .action(async (numbers: number[], flags: DbFlag) => {
      const { removeWatches } = await import("./run.ts");
      await removeWatches(io, databasePath(flags.db, io.env), numbers);
    });
  const test = watch
    .command("test")
    .description("tell each place that is named a message of no importance, so that it can be seen to arrive; nothing is recorded")
    .option(...dbOption);
  addTellOptions(test)
    .addHelpText("after", "\nExample:\n  $ movedex watch test --alerts-file alerts.jsonl --db night.db")
    .action(async (flags: DbFlag & TellFlags) => {
      const { testPlaces } = await import("./run.ts");
      await testPlaces(io, databasePath(flags.db, io.env), flags, settings.places());
    });
  return watch;
}
