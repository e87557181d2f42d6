import { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { backfillCommand } from "./commands/backfill/command.ts";
import { backupCommand, restoreCommand } from "./commands/backup/command.ts";
import { completionsCommand } from "./commands/completions/command.ts";
import { cookbookCommand } from "./commands/cookbook/command.ts";
import { decodeCommand } from "./commands/decode/command.ts";
import { diffCommand } from "./commands/diff/command.ts";
import { doctorCommand } from "./commands/doctor/command.ts";
import { explainCommand } from "./commands/explain/command.ts";
import { exportCommand } from "./commands/export/command.ts";
import { gapsCommand } from "./commands/gaps/command.ts";
import { importCommand } from "./commands/import/command.ts";
import { nightCommand } from "./commands/night/command.ts";
import { queryCommand } from "./commands/query/command.ts";
import { queryWorkerCommand } from "./commands/query/worker.ts";
import { reportCommand } from "./commands/report/command.ts";
import { schemaCommand } from "./commands/schema/command.ts";
import { searchCommand } from "./commands/search/command.ts";
import { serveCommand } from "./commands/serve/command.ts";
import { showCommand } from "./commands/show/command.ts";
import { statusCommand } from "./commands/status/command.ts";
import { syncCommand } from "./commands/sync/command.ts";
import { targetsCommand } from "./commands/targets/command.ts";
import { traceCommand } from "./commands/trace/command.ts";
import { verifyCommand } from "./commands/verify/command.ts";
import type { Io, Outcome } from "./io.ts";
import { packageVersion } from "./package-version.ts";
import type { RunCommand } from "./run-command.ts";

/** The whole command line. Commands import what they need when they run, so that `--help` stays quick; one made of commands gets `run`. */
export function buildProgram(io: Io, outcome: Outcome, run: RunCommand): Command {
  const program = new Command("movedex")
    .description("Archives the modules and accounts of a Move ledger node before the node prunes them, and answers for them in SQL.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .addHelpText("after", () => `\nExit codes:\n${exitCodeLines().join("\n")}`);
  program.addCommand(syncCommand(io, outcome));
  program.addCommand(backfillCommand(io, outcome));
  program.addCommand(nightCommand(io, outcome, run));
  program.addCommand(traceCommand(io, outcome));
  program.addCommand(targetsCommand(io));
  program.addCommand(statusCommand(io));
  program.addCommand(reportCommand(io));
  program.addCommand(doctorCommand(io, outcome));
  program.addCommand(showCommand(io));
  program.addCommand(diffCommand(io, outcome));
  program.addCommand(explainCommand(io));
  program.addCommand(searchCommand(io));
  program.addCommand(queryCommand(io, outcome));
  program.addCommand(cookbookCommand(io));
  program.addCommand(gapsCommand(io));
  program.addCommand(verifyCommand(io, outcome));
  program.addCommand(backupCommand(io));
  program.addCommand(restoreCommand(io));
  program.addCommand(serveCommand(io));
  program.addCommand(schemaCommand(io));
  program.addCommand(exportCommand(io, outcome));
  program.addCommand(importCommand(io));
  program.addCommand(decodeCommand(io, outcome));
  program.addCommand(completionsCommand(io, program));
  program.addCommand(queryWorkerCommand(io), { hidden: true });
  for (const command of [program, ...program.commands.flatMap((child) => [child, ...child.commands])]) settle(command, io);
  return program;
}

/** Errors come back to `main` instead of ending the process, and everything is written where `Io` says. */
function settle(command: Command, io: Io): void {
  command
    .exitOverride()
    .showHelpAfterError("(--help says what is possible)")
    .configureOutput({ writeOut: (text) => void io.stdout(text), writeErr: io.stderr });
}

function exitCodeLines(): string[] {
  return Object.values(exitCodes).map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`);
}
