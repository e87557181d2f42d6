import { MovedexCommand } from "../../../core/cli/movedex-command.ts";
import { failLevels } from "../../changes/compare/severity.ts";
import { addNodeGeneration } from "../diff/command.ts";

export function checkCommand(): MovedexCommand {
  return new MovedexCommand("check")
    .summary("check a package before you publish it")
    .description(
      "Check a compiled package before you publish it. Do the rules of upgrades allow it, and does it link? Whom in the archive would it break? The VM's verifier and the rules of publishing are not checked: the chain's CLI simulates those. Exits with 100 if it would be refused or breaks something, with 101 if something could not be checked.",
    )
    .argument("<build>", "the package's folder, its build/NAME, or a folder of .mv files")
    .option("--against <file>", "the archive to check against (default: DATABASE_URL, else movedex.db)")
    .option("--at <version>", "a ledger version, latest, previous or oldest (default: each account's newest snapshot)")
    .option("--first", "a first publication: the accounts hold no modules yet")
    .with(addNodeGeneration)
    .choice("--fail-on <level>", "exit with 100 for findings of this level or worse; a refusal always counts", failLevels, "breaking")
    .formats(["text", "json", "github", "sarif"])
    .prints(async () => (await import("./run.ts")).checkResult)
    .examples("check build/MyPackage --against night.db")
    .runsFrom(async () => (await import("./run.ts")).runCheck);
}
