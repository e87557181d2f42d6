import { Option } from "commander";
import { MovedexCommand } from "../../../core/cli/movedex-command.ts";
import type { DeclaredCommand } from "../../../core/cli/options/declared-command.ts";
import { parserOf, repeatable } from "../../../core/cli/options/options.ts";
import { audiences, failLevels } from "../../changes/compare/severity.ts";

export function diffCommand(): MovedexCommand {
  return new MovedexCommand("diff")
    .summary("compare two versions: what breaks, and for whom")
    .description("Compare modules of snapshots, databases or files: what breaks, and for whom. Exits with 101 if not all is compared.")
    .argument("[before]", "a ledger version, latest, previous or oldest; a database (file.db or file.db@VERSION); a .mv file or a folder")
    .argument("[after]", "the same")
    .argument("[subject]", "only this account (0x1) or module (0x1::coin, or coin)")
    .formats(["text", "json", "markdown", "github"])
    .prints(async () => (await import("./result.ts")).diffResult)
    .choice("--fail-on <level>", "exit with 100 for findings of this level or worse; refused: the VM would refuse the upgrade", failLevels)
    .addOption(forWhom("--for <audience>"))
    .addOption(forWhom("--audience <name>").hideHelp())
    .with(addNodeGeneration)
    .option("--code", "also print the instructions that differ (text, markdown, json)")
    .option("--db <file>", "the database for ledger versions (default: DATABASE_URL, else movedex.db)")
    .examples("diff previous latest 0x1::coin --db night.db --fail-on breaking")
    .runsFrom(async () => (await import("./run.ts")).runDiff);
}

/** Of the name that watches have for it, and of the one of version 0.1.0. */
function forWhom(flags: string): Option {
  return new Option(flags, "only findings for this audience; repeatable (default: all)")
    .choices([...audiences])
    .argParser(repeatable(parserOf((name) => audiences.find((one) => one === name), `Give one of ${audiences.join(", ")}.`)));
}

export function addNodeGeneration(command: DeclaredCommand): void {
  const what = "the node release: A 2024, B and C 2025, D 2026 (default: B on Movement's chains)";
  command.choice("--node-generation <letter>", what, ["A", "B", "C", "D"]);
}
