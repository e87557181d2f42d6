import { Option } from "commander";
import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import type { DeclaredCommand } from "../../core/cli/options/declared-command.ts";
import { parserOf, repeatable } from "../../core/cli/options/options.ts";
import { audiences, failLevels } from "../changes/compare/severity.ts";

export const compare: Capability = {
  name: "compare",
  needs: ["changes", "uses"],
  commands: {
    "Look at modules:": {
      diff: async () => diffCommand,
      check: async () => checkCommand,
      lock: async () => lockCommand,
    },
  },
};

function diffCommand(): MovedexCommand {
  return new MovedexCommand("diff")
    .summary("compare two versions: what breaks, and for whom")
    .description("Compare modules of snapshots, databases or files: what breaks, and for whom. Exits with 101 if not all is compared.")
    .argument("[before]", "a ledger version, latest, previous or oldest; a database (file.db or file.db@VERSION); a .mv file or a folder")
    .argument("[after]", "the same")
    .argument("[subject]", "only this account (0x1) or module (0x1::coin, or coin)")
    .formats(["text", "json", "markdown", "github"])
    .prints(async () => (await import("./diff/result.ts")).diffResult)
    .choice("--fail-on <level>", "exit with 100 for findings of this level or worse; refused: the VM would refuse the upgrade", failLevels)
    .addOption(forWhom("--for <audience>"))
    .addOption(forWhom("--audience <name>").hideHelp())
    .with(addNodeGeneration)
    .option("--code", "also print the instructions that differ (text, markdown, json)")
    .option("--db <file>", "the database for ledger versions (default: DATABASE_URL, else movedex.db)")
    .examples("diff previous latest 0x1::coin --db night.db --fail-on breaking")
    .runsFrom(async () => (await import("./diff/run.ts")).runDiff);
}

function checkCommand(): MovedexCommand {
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
    .prints(async () => (await import("./check/run.ts")).checkResult)
    .examples("check build/MyPackage --against night.db")
    .runsFrom(async () => (await import("./check/run.ts")).runCheck);
}

function lockCommand(): MovedexCommand {
  return new MovedexCommand("lock")
    .summary("lock what your package reaches of other modules")
    .description(
      "Write movedex.lock: what your compiled package reaches of other modules, with hashes of interfaces and of what functions do. With --check, compare it with the archive, and print what changed. Commit the file. Exits with 100 if something that you reach changed, with 101 if not all of it could be compared. Other literals only warn.",
    )
    .argument("[build]", "the package's folder, its build/NAME, or a folder of .mv files; --check and --update know what was locked")
    .argument("[file]", "the lock (default: movedex.lock)")
    .option("--check", "compare the lock with what is there now, and write nothing")
    .option("--update", "print what changed, and lock what is there now")
    .option("--vendor <directory>", "keep the locked bytecode here; --check then needs no archive, and compares with the build's copies")
    .option("--against <file>", "the archive to lock from (default: DATABASE_URL, else movedex.db)")
    .option("--at <version>", "a ledger version, latest, previous or oldest (default: each account's newest snapshot)")
    .formats(["text", "json", "markdown"])
    .prints(async () => (await import("./lock/run.ts")).lockResult)
    .examples("lock build/MyPackage --against night.db")
    .runsFrom(async () => (await import("./lock/run.ts")).runLock);
}

/** Of the name that watches have for it, and of the one of version 0.1.0. */
function forWhom(flags: string): Option {
  return new Option(flags, "only findings for this audience; repeatable (default: all)")
    .choices([...audiences])
    .argParser(repeatable(parserOf((name) => audiences.find((one) => one === name), `Give one of ${audiences.join(", ")}.`)));
}

function addNodeGeneration(command: DeclaredCommand): void {
  const what = "the node release: A 2024, B and C 2025, D 2026 (default: B on Movement's chains)";
  command.choice("--node-generation <letter>", what, ["A", "B", "C", "D"]);
}
