import { MovedexCommand } from "../../../core/cli/movedex-command.ts";
import { addReceivers } from "../receivers.ts";
import type { RunTellFlags } from "./run.ts";

export function tellCommand(): MovedexCommand {
  return new MovedexCommand("tell")
    .summary("send alerts that are waiting")
    .description(
      "Judge new changes against your watches, and send each receiver its new alerts. Every alert is sent once. If a receiver fails, the command says so, and later runs try again. `night` runs this step after trace.",
    )
    .option("--replay <version>", "send all changes after this ledger version again; `oldest` for all")
    .printsJson(async () => (await import("./result.ts")).tellResult)
    .database()
    .with(addReceivers)
    .examples("tell --alerts-file alerts.jsonl --db night.db")
    .runs(async ({ io, settings }, flags: RunTellFlags) => (await import("./run.ts")).runTell(io, flags, settings.places()));
}
