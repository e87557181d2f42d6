import { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { backfillCommand } from "./backfill.ts";
import { backupCommand, restoreCommand } from "./backup.ts";
import { completionsCommand } from "./completions.ts";
import { cookbookCommand } from "./cookbook.ts";
import { decodeCommand } from "./decode.ts";
import { diffCommand } from "./diff.ts";
import { doctorCommand } from "./doctor.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { gapsCommand } from "./gaps.ts";
import { importCommand } from "./import.ts";
import type { Io, Outcome } from "./io.ts";
import { nightCommand } from "./night.ts";
import { packageVersion } from "./package-version.ts";
import { queryCommand } from "./query.ts";
import { queryWorkerCommand } from "./query-worker.ts";
import { reportCommand } from "./report.ts";
import type { RunCommand } from "./run-command.ts";
import { schemaCommand } from "./schema.ts";
import { searchCommand } from "./search.ts";
import { serveCommand } from "./serve.ts";
import { showCommand } from "./show.ts";
import { statusCommand } from "./status.ts";
import { syncCommand } from "./sync.ts";
import { targetsCommand } from "./targets.ts";
import { traceCommand } from "./trace.ts";
import { verifyCommand } from "./verify.ts";

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
