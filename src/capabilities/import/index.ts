import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { parseVersion, repeatable } from "../../core/cli/options/options.ts";

export const importing: Capability = {
  name: "import",
  needs: ["decode", "trace"],
  commands: { "Share the archive:": { import: async () => importCommand } },
};

function importCommand(): MovedexCommand {
  return new MovedexCommand("import")
    .summary("add another archive to the database")
    .description(
      "Add what another archive observed: a movedex database, or a folder of bytecode files. If anything in it is damaged, nothing is written. " +
        'Where it contradicts the database, the stored data stays, and `movedex query "SELECT * FROM findings"` lists the contradiction. ' +
        "Bytecode files do not tell their ledger version, so no snapshot shows them. `show`, `search` and the views bytecodes_held, functions_held and structs_held do.",
    )
    .argument("<path>", "a database file or postgres://user@host/database, a folder with .mv files, or one .mv file")
    .option("--db <file>", "the database; created if missing (default: DATABASE_URL, else movedex.db)")
    .option("--except <version>", "leave out the snapshot of this ledger version; repeatable", repeatable(parseVersion))
    .printsJson(async () => (await import("./run.ts")).importResult, "print one JSON object at the end")
    .examples("import other.db --db mine.db")
    .runsFrom(async () => (await import("./run.ts")).runImport);
}
