import { Command, CommanderError, Option } from "commander";
import { packageVersion } from "../base/files/package-file.ts";
import { printable, printableLines } from "../base/printable.ts";
import { didYouMean, nearestNames } from "../base/similar-names.ts";
import { databasePath } from "../config.ts";
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
import { siteCommand } from "./commands/site/command.ts";
import { snapshotsCommand } from "./commands/snapshots/command.ts";
import { statusCommand } from "./commands/status/command.ts";
import { syncCommand } from "./commands/sync/command.ts";
import { targetsCommand } from "./commands/targets/command.ts";
import { tellCommand } from "./commands/tell/command.ts";
import { traceCommand } from "./commands/trace/command.ts";
import { usesCommand } from "./commands/uses/command.ts";
import { verifyCommand } from "./commands/verify/command.ts";
import { watchCommand } from "./commands/watch/command.ts";
import { workCommand } from "./commands/work/command.ts";
import { layOutHelp, programFooter } from "./help.ts";
import type { Io, Outcome, RunCommand } from "./io.ts";
import { addSchemaOption, applySchemaOption } from "./options/schema-option.ts";
import { jsonLine } from "./output/json-line.ts";
import { Settings } from "./settings/settings.ts";

const ABOUT = "About movedex:";

/** The command line. Commands import what they need when they run, so that `--help` stays quick. `run` runs a whole command line. */
export function buildProgram(processIo: Io, outcome: Outcome, run: RunCommand, argv: readonly string[] = []): Command {
  const settings = new Settings(argv, processIo.env);
  const io: Io = { ...processIo, env: settings.env };
  const version = packageVersion();
  const program = new Command("movedex")
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
  const groups: Readonly<Record<string, readonly Command[]>> = {
    "Archive a ledger:": [
      syncCommand(io, outcome),
      workCommand(io, outcome),
      targetsCommand(io),
      nightCommand(io, outcome, run, settings),
      backfillCommand(io, outcome),
      traceCommand(io, outcome),
      doctorCommand(io, outcome, run, settings),
      initCommand(io, program),
    ],
    "Look at modules:": [
      showCommand(io),
      diffCommand(io, outcome),
      checkCommand(io, outcome),
      usesCommand(io),
      watchCommand(io, settings),
      tellCommand(io, settings),
      explainCommand(io),
      searchCommand(io),
      decodeCommand(io, outcome),
    ],
    "Ask the archive:": [queryCommand(io, outcome), cookbookCommand(io), schemaCommand(io), reportCommand(io)],
    "Look after the archive:": [
      statusCommand(io),
      snapshotsCommand(io),
      runsCommand(io),
      gapsCommand(io),
      verifyCommand(io, outcome),
      backupCommand(io),
      restoreCommand(io),
    ],
    "Share the archive:": [openCommand(io), serveCommand(io), siteCommand(io, outcome, run), exportCommand(io, outcome), importCommand(io)],
    [ABOUT]: [demoCommand(io, run), completionsCommand(io, program), versionCommand(io, version), helpCommand(program)],
  };
  for (const [heading, commands] of Object.entries(groups)) {
    for (const command of commands) program.addCommand(command.helpGroup(heading));
  }
  addSchemaOption(program);
  settings.addTo(program);
  program.hook("preAction", (_, command) => applySchemaOption(command, io));
  program.addCommand(queryWorkerCommand(io), { hidden: true });
  for (const command of [program, ...program.commands.flatMap((child) => [child, ...child.commands])]) settle(command, io);
  return program;
}

function versionCommand(io: Io, version: string): Command {
  return new Command("version")
    .description("Print the version. --json adds what a bug report needs: Node.js, the database engine in use, SQLite and the platform.")
    .summary("print the version")
    .option("--json", "print one JSON object")
    .option("--check", "ask the project's releases for a newer version; no other command does")
    .addHelpText("after", "\nExample:\n  $ movedex version --json")
    .action(async (flags: { readonly json?: boolean; readonly check?: boolean }) => {
      const newest = flags.check === true ? await checkRelease(io, version) : undefined;
      if (flags.json !== true) return await io.stdout(`${version}\n`);
      const { sqliteVersion } = await import("../engine/sqlite/open-file.ts");
      const { isAddress } = await import("../engine/place.ts");
      const engine = isAddress(databasePath(undefined, io.env)) ? "postgresql" : "sqlite";
      const { versions, platform, arch } = process;
      await io.stdout(jsonLine({ version, node: versions.node, engine, sqlite: sqliteVersion(), platform, arch, newest_release: newest }));
    });
}

/** The newest release, null where it is not known; says on stderr what is to be known of it. */
async function checkRelease(io: Io, version: string): Promise<string | null> {
  const { findNewestRelease, isNewer } = await import("./newest-release.ts");
  const newest = await findNewestRelease(io);
  if ("unknown" in newest) io.stderr(`movedex: the newest release is not known: ${printable(newest.unknown, 200)}\n`);
  else if (isNewer(newest.version, version)) io.stderr(`movedex: ${newest.version} is out; this is ${version}\n`);
  else io.stderr("movedex: this is the newest release\n");
  return "unknown" in newest ? null : newest.version;
}

/** The help of a command; commander's own answers a misspelt name with the help of the program. */
function helpCommand(program: Command): Command {
  return new Command("help")
    .summary("print the help of a command")
    .description("Print the help of movedex or of a command.")
    .argument("[command...]", "such as sync, or targets add")
    .addHelpText("after", "\nExample:\n  $ movedex help targets add")
    .action((names: readonly string[]) => {
      let command = program;
      for (const name of names) {
        const children = command.commands.filter((child) => child.description() !== "");
        const found = children.find((child) => child.name() === name);
        if (found === undefined) {
          const near = didYouMean(
            nearestNames(
              name,
              children.map((child) => child.name()),
            ),
          );
          command.error(`error: unknown command \`${printable(name, 60)}\`.${near}`, { code: "commander.unknownCommand" });
        }
        command = found as Command;
      }
      command.help();
    });
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
