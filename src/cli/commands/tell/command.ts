import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { dbOption, wholeNumber } from "../../options/options.ts";
import { addTellOptions } from "../../options/tell-options.ts";
import type { Settings } from "../../settings/settings.ts";
import type { RunTellFlags } from "./run.ts";

/** `movedex tell`: tell of the alerts that nobody was told of. */
export function tellCommand(io: Io, settings: Settings): Command {
  const command = new Command("tell")
    .summary("tell of changes of what is watched")
    .description(
      "Judge changes of what is watched that were not judged yet, and tell each place that is named of the alerts that it was not told of. " +
        "Each alert is told once; what could not be told is tried again by later runs. `night` does this after trace. " +
        "A place that fails fails no run: the printed line says so.",
    )
    .option("--again <alert>", "tell of this alert once more, wherever it was told", wholeNumber(1, 1e12))
    .option("--replay <version>", "tell the named places again of all changes above this ledger version; `oldest` for all")
    .option("--json", "print one JSON object")
    .option(...dbOption);
  return addTellOptions(command)
    .addHelpText("after", "\nExample:\n  $ movedex tell --alerts-file alerts.jsonl --db night.db")
    .action(async (flags: RunTellFlags & { readonly db?: string }) => {
      const { runTell } = await import("./run.ts");
      await runTell(io, databasePath(flags.db, io.env), flags, settings.places());
    });
}
