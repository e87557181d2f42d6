import { type Argument, type Command, CommanderError, Option } from "commander";
import { packageVersion } from "../base/files.ts";
import { printableLines } from "../base/printable.ts";
import { databasePath } from "../config.ts";
import { unreachable } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Io, RunCommand } from "./io.ts";
import { type MovedexCommand, NARROWEST_WRAP, Program } from "./movedex-command.ts";
import { addRetiredOptions, nameRetired, retiredName } from "./options/retired.ts";
import type { Env, SettingsInForce } from "./settings/settings.ts";

/** Adds to every command with a database how its schema and a settings file are named. */
function addDatabaseOptions(program: Command): void {
  const commands = program.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
  for (const command of commands.filter(hasDatabase))
    command
      .option("--schema <name>", "the schema in a PostgreSQL database (default: movedex)")
      .optionsGroup("Settings file:")
      .option("--config <file>", "read options from this TOML file; the command line overrides it. `movedex init` writes one")
      .option("--section <name>", "the section of the file (default: the only one, or that of --network)");
}

/** Makes `--db` the database to use, `--schema` a part of its address. @throws ConfigError for a bad address, or a schema in a file */
function resolveDatabase(command: Command, { env }: Io): void {
  if (!hasDatabase(command)) return;
  const { db, schema } = command.opts<{ db?: string; schema?: string }>();
  command.setOptionValueWithSource("db", databasePath(db, env, schema), command.getOptionValueSource("db"));
}

function hasDatabase({ options }: Command): boolean {
  return options.some(({ long }) => long === "--db");
}

const ABOUT = "About movedex:";
const HIDDEN = "";

/** The commands below their headings in the help, each loaded only where it is asked for. */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<(io: Io) => MovedexCommand>>>>> = {
  "Archive a ledger:": {
    sync: async () => (await import("./commands/sync/command.ts")).syncCommand,
    targets: async () => (await import("./commands/targets/command.ts")).targetsCommand,
    night: async () => (await import("./commands/night/command.ts")).nightCommand,
    backfill: async () => (await import("./commands/backfill/command.ts")).backfillCommand,
    trace: async () => (await import("./commands/trace/command.ts")).traceCommand,
    doctor: async () => (await import("./commands/doctor/command.ts")).doctorCommand,
    init: async () => (await import("./commands/init/command.ts")).initCommand,
  },
  "Look at modules:": {
    show: async () => (await import("./commands/show/command.ts")).showCommand,
    diff: async () => (await import("./commands/diff/command.ts")).diffCommand,
    check: async () => (await import("./commands/check/command.ts")).checkCommand,
    lock: async () => (await import("./commands/lock/command.ts")).lockCommand,
    uses: async () => (await import("./commands/uses/command.ts")).usesCommand,
    watch: async () => (await import("./commands/watch/command.ts")).watchCommand,
    tell: async () => (await import("./commands/tell/command.ts")).tellCommand,
    explain: async () => (await import("./commands/explain/command.ts")).explainCommand,
    search: async () => (await import("./commands/search/command.ts")).searchCommand,
    decode: async () => (await import("./commands/decode/command.ts")).decodeCommand,
  },
  "Ask the archive:": {
    query: async () => (await import("./commands/query/command.ts")).queryCommand,
    cookbook: async () => (await import("./commands/cookbook/command.ts")).cookbookCommand,
    schema: async () => (await import("./commands/schema/command.ts")).schemaCommand,
    report: async () => (await import("./commands/report/command.ts")).reportCommand,
  },
  "Look after the archive:": {
    status: async () => (await import("./commands/status/command.ts")).statusCommand,
    snapshots: async () => (await import("./commands/snapshots/command.ts")).snapshotsCommand,
    runs: async () => (await import("./commands/runs/command.ts")).runsCommand,
    gaps: async () => (await import("./commands/gaps/command.ts")).gapsCommand,
    verify: async () => (await import("./commands/verify/command.ts")).verifyCommand,
    backup: async () => (await import("./commands/backup/command.ts")).backupCommand,
    restore: async () => (await import("./commands/backup/command.ts")).restoreCommand,
  },
  "Share the archive:": {
    open: async () => (await import("./commands/serve/command.ts")).openCommand,
    serve: async () => (await import("./commands/serve/command.ts")).serveCommand,
    export: async () => (await import("./commands/export/command.ts")).exportCommand,
    import: async () => (await import("./commands/import/command.ts")).importCommand,
  },
  [ABOUT]: {
    demo: async () => (await import("./commands/demo/command.ts")).demoCommand,
    completions: async () => (await import("./commands/completions/command.ts")).completionsCommand,
    version: async () => (await import("./commands/version/command.ts")).versionCommand,
    help: async () => (await import("./help.ts")).helpCommand,
  },
  [HIDDEN]: {
    work: async () => {
      const { syncCommand } = await import("./commands/sync/command.ts");
      return (io) => retiredName("work", syncCommand(), io);
    },
    complete: async () => (await import("./commands/completions/command.ts")).completeCommand,
    "query-worker": async () => (await import("./commands/query/command.ts")).queryWorkerCommand,
  },
};

const loaders = Object.assign({}, ...Object.values(groups)) as (typeof groups)[string];

/** Commands that read the options or the help of others. */
const READ_OTHERS: ReadonlySet<string> = new Set(["complete", "help", "init"]);

/**
 * The command line with the one command that `argv` begins with. Where that is none, where the command reads others, and where a settings
 * file is to be checked against all of them, it has all commands. `run` runs a whole command line.
 */
export async function buildProgram(processIo: Io, run: RunCommand, argv: readonly string[] = []): Promise<Program> {
  const hasFile = argv.some((word) => /^--(config|section)(=|$)/.test(word));
  const settings = hasFile ? new (await import("./settings/settings.ts")).Settings(argv, processIo.env) : noSettings(argv, processIo.env);
  const io: Io = { ...processIo, env: settings.env };
  const version = packageVersion();
  const declare = async (name: string) => (await loaders[name]?.())?.(io) ?? unreachable(`there is no command ${name}`);
  const program = new Program({ io, settings, run, declare, exitCode: exitCodes.done.code })
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
    .helpCommand(false);
  const [first = ""] = argv;
  const isAlone = !hasFile && !READ_OTHERS.has(first) && Object.hasOwn(loaders, first);
  if (!isAlone) {
    const { programFooter } = await import("./help.ts");
    program.addHelpText("after", () => programFooter(io.columns));
  }
  for (const [heading, commands] of Object.entries(groups)) {
    for (const [name, load] of Object.entries(commands)) {
      if (isAlone && name !== first) continue;
      const command = (await load())(io);
      program.addCommand(command.helpGroup(heading), { hidden: heading === HIDDEN });
    }
  }
  addDatabaseOptions(program);
  addRetiredOptions(program);
  settings.addTo(program);
  // What runs for each section of a settings file has no database of its own.
  program.hook("preAction", (_, command) => {
    nameRetired(command, io);
    if (settings.sections === undefined) resolveDatabase(command, io);
  });
  for (const command of [program, ...program.commands.flatMap((child) => [child, ...child.commands])]) settle(command, io);
  return program;
}

/** Errors come back to `main` instead of ending the process, and everything is written where `Io` says. */
function settle(command: Command, io: Io): void {
  command
    .configureHelp({
      minWidthToWrap: NARROWEST_WRAP,
      // Subcommands stand by name alone, and values as they are typed: `default: table`, not `default: "table"`.
      subcommandTerm: (child) => child.name(),
      optionDescription: (option) => describeValue(option, option.required || option.optional),
      argumentDescription: (argument) => describeValue(argument, true),
    })
    .exitOverride()
    .showHelpAfterError("Run with --help for usage.")
    .configureOutput({
      writeOut: (text) => void io.stdout(text),
      writeErr: io.stderr,
      outputError: (text, write) => write(printableLines(text.replace(/^error: /, "movedex: "))),
    });
}

function describeValue(value: Option | Argument, isTyped: boolean): string {
  const { argChoices, defaultValue, defaultValueDescription, description } = value;
  const notes = [
    ...(argChoices === undefined ? [] : [`choices: ${argChoices.join(", ")}`]),
    ...(isTyped && defaultValue !== undefined ? [`default: ${defaultValueDescription ?? String(defaultValue)}`] : []),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

/** What holds for a command line that names no settings file. */
function noSettings(argv: readonly string[], env: Env): SettingsInForce {
  const none = () => [];
  return {
    argv,
    env: { ...env },
    applied: [],
    sections: undefined,
    addTo: () => {},
    forOthers: none,
    wordsFor: none,
    flagsFor: <Flags>(command: Command) => command.opts() as Flags,
    places: none,
    wordsForPlaces: none,
  };
}
