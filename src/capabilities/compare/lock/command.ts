import { MovedexCommand } from "../../../core/cli/movedex-command.ts";

export function lockCommand(): MovedexCommand {
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
    .prints(async () => (await import("./run.ts")).lockResult)
    .examples("lock build/MyPackage --against night.db")
    .runsFrom(async () => (await import("./run.ts")).runLock);
}
