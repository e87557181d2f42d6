import { type Command, CommanderError, Option } from "commander";
import { packageVersion } from "../base/files/package-file.ts";
import { printableLines } from "../base/printable.ts";
import { exitCodes } from "../exit-codes.ts";
import { backfillCommand } from "./commands/backfill/command.ts";
import { backupCommand, restoreCommand } from "./commands/backup/command.ts";
import { checkCommand } from "./commands/check/command.ts";
import { completionsCommand } from "./commands/completions/command.ts";
import { cookbookCommand } from "./commands/cookbook/command.ts";
import { decodeCommand } from "./commands/decode/command.ts";
import { demoCommand } from "./commands/demo/command.ts";
import { diffCommand } from "./commands/diff/command.ts";
import { doctorCommand } from "./commands/doctor/command.ts";
import { explainCommand } from "./commands/explain/command.ts";
import { exportCommand } from "./commands/export/command.ts";
import { gapsCommand } from "./commands/gaps/command.ts";
import { importCommand } from "./commands/import/command.ts";
import { initCommand } from "./commands/init/command.ts";
import { nightCommand } from "./commands/night/command.ts";
import { openCommand } from "./commands/open/command.ts";
import { queryCommand, queryWorkerCommand } from "./commands/query/command.ts";
import { reportCommand } from "./commands/report/command.ts";
import { runsCommand } from "./commands/runs/command.ts";
import { schemaCommand } from "./commands/schema/command.ts";
import { searchCommand } from "./commands/search/command.ts";
import { serveCommand } from "./commands/serve/command.ts";
import { showCommand } from "./commands/show/command.ts";
import { snapshotsCommand } from "./commands/snapshots/command.ts";
import { statusCommand } from "./commands/status/command.ts";
import { syncCommand } from "./commands/sync/command.ts";
import { targetsCommand } from "./commands/targets/command.ts";
import { tellCommand } from "./commands/tell/command.ts";
import { traceCommand } from "./commands/trace/command.ts";
import { usesCommand } from "./commands/uses/command.ts";
import { verifyCommand } from "./commands/verify/command.ts";
import { versionCommand } from "./commands/version/command.ts";
import { watchCommand } from "./commands/watch/command.ts";
import { helpCommand, layOutHelp, programFooter } from "./help.ts";
import type { Io, RunCommand } from "./io.ts";
import { type MovedexCommand, Program } from "./movedex-command.ts";
import { addSchemaOption, resolveDatabase } from "./options/database-option.ts";
import { addRetiredOptions, retiredName } from "./options/retired.ts";
import { Settings } from "./settings/settings.ts";

const ABOUT = "About movedex:";

/** The commands below their headings in the help. */
const groups: Readonly<Record<string, readonly (() => MovedexCommand)[]>> = {
  "Archive a ledger:": [syncCommand, targetsCommand, nightCommand, backfillCommand, traceCommand, doctorCommand, initCommand],
  "Look at modules:": [
    showCommand,
    diffCommand,
    checkCommand,
    usesCommand,
    watchCommand,
    tellCommand,
    explainCommand,
    searchCommand,
    decodeCommand,
  ],
  "Ask the archive:": [queryCommand, cookbookCommand, schemaCommand, reportCommand],
  "Look after the archive:": [statusCommand, snapshotsCommand, runsCommand, gapsCommand, verifyCommand, backupCommand, restoreCommand],
  "Share the archive:": [openCommand, serveCommand, exportCommand, importCommand],
  [ABOUT]: [demoCommand, completionsCommand, versionCommand, helpCommand],
};

/** The command line. `run` runs a whole command line. */
export function buildProgram(processIo: Io, run: RunCommand, argv: readonly string[] = []): Program {
  const settings = new Settings(argv, processIo.env);
  const io: Io = { ...processIo, env: settings.env };
  const version = packageVersion();
  const program = new Program({ io, settings, run, exitCode: exitCodes.done.code })
    .usage("<command> [options]")
    .description("Copies Move modules and account records from a ledger node into SQL before the node prunes them.")
    .version(version, "-v, --version", "print the version")
    .addOption(new Option("-V").hideHelp())
    .on("option:V", () => {
      void io.stdout(`${version}\n`);
      throw new CommanderError(0, "commander.version", version);
    })
    .helpOption("-h, --help", "print help, or the help of a command")
    .commandsGroup(ABOUT)
    .helpCommand(false)
    .addHelpText("after", () => programFooter(io.columns));
  for (const [heading, commands] of Object.entries(groups)) {
    for (const command of commands) program.addCommand(command().helpGroup(heading));
  }
  program.addCommand(retiredName("work", syncCommand(), io), { hidden: true });
  addSchemaOption(program);
  addRetiredOptions(program, io);
  settings.addTo(program);
  // What runs for each section of a settings file has no database of its own.
  program.hook("preAction", (_, command) => {
    if (settings.sections === undefined) resolveDatabase(command, io);
  });
  program.addCommand(queryWorkerCommand(), { hidden: true });
  for (const command of [program, ...program.commands.flatMap((child) => [child, ...child.commands])]) settle(command, io);
  return program;
}

/** Errors come back to `main` instead of ending the process, and everything is written where `Io` says. */
function settle(command: Command, io: Io): void {
  layOutHelp(command)
    .exitOverride()
    .showHelpAfterError("Run with --help for usage.")
    .configureOutput({
      writeOut: (text) => void io.stdout(text),
      writeErr: io.stderr,
      outputError: (text, write) => write(printableLines(text.replace(/^error: /, "movedex: "))),
    });
}
