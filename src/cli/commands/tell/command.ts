import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { dbOption, wholeNumber } from "../../options/options.ts";
import { addTellOptions } from "../../options/tell-options.ts";
import type { Settings } from "../../settings/settings.ts";
import type { RunTellFlags } from "./run.ts";

export function tellCommand(io: Io, settings: Settings): Command {
  const command = new Command("tell")
    .summary("send alerts that are waiting")
    .description(
      "Judge new changes against your watches, and send each receiver its new alerts. Every alert is sent once. If a receiver fails, the command says so, and later runs try again. `night` runs this step after trace.",
    )
    .option("--again <alert>", "send this alert again", wholeNumber(1, 1e12))
    .option("--replay <version>", "send all changes after this ledger version again; `oldest` for all")
    .option("--json", "print one JSON object")
    .option(...dbOption);
  return addTellOptions(command)
    .addHelpText("after", "\nExample:\n  $ movedex tell --alerts-file alerts.jsonl --db night.db")
    .action(async (flags: RunTellFlags & { readonly db?: string }) => {
      const { runTell } = await import("./run.ts");
      await runTell(io, databasePath(flags.db, io.env), flags, settings.places());
    });
}
