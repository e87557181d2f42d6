import { type Argument, type Command, CommanderError, Option } from "commander";
import { packageVersion } from "../base/files.ts";
import { printableLines } from "../base/printable.ts";
import { MovedexError, unreachable } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Capability, Commands } from "./capability.ts";
import { databasePath } from "./config.ts";
import { coreCommands, lastCommands } from "./core-commands.ts";
import { noticesOf } from "./hooks.ts";
import { type Io, type RunCommand, usageError } from "./io.ts";
import { type CommandLine, MovedexCommand, NARROWEST_WRAP } from "./movedex-command.ts";
import type { Env, SettingsInForce, SettingsReader } from "./settings.ts";

/** Adds to every command with a database how its schema, where it may have one, and a settings file are named. */
function addDatabaseOptions(program: Command, capabilities: readonly Capability[], reader: SettingsReader | undefined): void {
  const hasServers = capabilities.some(({ openDatabase }) => openDatabase !== undefined);
  const commands = program.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
  for (const command of commands.filter(hasDatabase)) {
    if (hasServers) command.option("--schema <name>", "the schema in a PostgreSQL database (default: movedex)");
    reader?.declare(command);
  }
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

/** Runs a command line; `run` runs others. What refuses it before its action begins is told to others. @returns its exit code */
export async function runProgram(io: Io, run: RunCommand, capabilities: readonly Capability[], argv: readonly string[]): Promise<number> {
  const { program, line, prepare } = await openProgram(io, run, capabilities, argv);
  try {
    // What returns a type is searched for by `-> Coin`, which is no option.
    await program.parseAsync(
      argv.map((word) => (word.startsWith("->") ? ` ${word}` : word)),
      { from: "user" },
    );
    return line.exitCode ?? exitCodes.done.code;
  } catch (error) {
    const command = program.commands.find((one) => one.name() === argv[0]);
    const isHelp = error instanceof CommanderError && error.exitCode === 0;
    if (line.exitCode !== undefined || isHelp || !(command instanceof MovedexCommand) || command.refused === undefined) throw error;
    const isUnreadable = error instanceof CommanderError;
    const refusal = isUnreadable ? usageError(error) : error;
    if (isUnreadable) command.readPlain(argv.slice(1));
    try {
      await prepare(command);
    } catch (fault) {
      if (!(fault instanceof MovedexError)) throw fault;
      command.setOptionValue("db", "");
    }
    await command.refused(line, command.opts() as never, refusal).catch((thrown) => {
      if (thrown !== refusal) throw thrown;
    });
    throw error;
  }
}

/** The program with all its commands, which is not run. */
export async function buildProgram(io: Io, capabilities: readonly Capability[]): Promise<MovedexCommand> {
  return (await openProgram(io, async () => exitCodes.done.code, capabilities, [])).program;
}

/**
 * The command line with the one command that `argv` begins with. Where that is none, where the command reads others, and where a settings
 * file is to be checked against all of them, it has all commands. `prepare` is what comes before the action.
 */
async function openProgram(processIo: Io, run: RunCommand, capabilities: readonly Capability[], argv: readonly string[]) {
  const reader = capabilities.find((one) => one.settings !== undefined)?.settings;
  const hasFile = reader?.isAsked(argv) === true;
  const settings = hasFile ? await reader.open(argv, processIo.env) : noSettings(processIo.env);
  const chooseTargets = capabilities.find((one) => one.chooseTargets !== undefined)?.chooseTargets;
  const io: Io = { ...processIo, env: settings.env, chooseTargets };
  const version = packageVersion();
  const all = [coreCommands, ...capabilities.flatMap(({ commands = [] }) => commands), lastCommands];
  const entries = (Object.keys(coreCommands) as (keyof Commands)[]).flatMap((heading) =>
    all.flatMap((commands) => Object.entries(commands[heading] ?? {}).map(([name, load]) => ({ heading, name, load }))),
  );
  const declare = async (name: string) => {
    const { load } = entries.find((entry) => entry.name === name) ?? unreachable(`there is no command ${name}`);
    const command = (await load(capabilities))(io);
    if (command instanceof MovedexCommand && command.isMonitored) noticesOf(capabilities)?.declare(command);
    return command;
  };
  const line: CommandLine = { io, settings, run, declare, capabilities };
  const program = new MovedexCommand("movedex")
    .usage("<command> [options]")
    .description("Copies Move modules and account records from a ledger node into SQL before the node prunes them.")
    .version(version, "-v, --version", "print the version")
    .addOption(new Option("-V").hideHelp())
    .on("option:V", () => {
      void io.stdout(`${version}\n`);
      throw new CommanderError(0, "commander.version", version);
    })
    .helpOption("-h, --help", "print help, or the help of a command")
    .commandsGroup("About movedex:")
    .helpCommand(false);
  program.line = line;
  const [first = ""] = argv;
  const readOthers = ["help", ...capabilities.flatMap(({ readsOthers = [] }) => readsOthers)];
  const isAlone = !hasFile && !readOthers.includes(first) && entries.some(({ name }) => name === first);
  if (!isAlone) {
    const { programFooter } = await import("./help.ts");
    program.addHelpText("after", () => programFooter(io.columns));
  }
  for (const { heading, name } of entries) {
    if (isAlone && name !== first) continue;
    program.addCommand((await declare(name)).helpGroup(heading), { hidden: heading === "" });
  }
  addDatabaseOptions(program, capabilities, reader);
  const retired = isAlone && !hasUnknownOption(program, argv) ? undefined : await import("./options/retired.ts");
  retired?.addRetiredOptions(program);
  settings.addTo(program);
  for (const command of [program, ...program.commands.flatMap((child) => [child, ...child.commands])]) settle(command, io);
  retired?.refuseRetired(program, first);
  let isApplied = false;
  const prepare = async (command: Command): Promise<void> => {
    if (!isApplied) {
      isApplied = true;
      await settings.apply(command);
      retired?.nameRetired(command, io);
    }
    // What runs for each section of a settings file has no database of its own.
    if (!settings.runsSections) resolveDatabase(command, io);
  };
  program.hook("preAction", (_, command) => prepare(command));
  return { program, line, prepare };
}

/** Whether a word looks like an option that no command has: perhaps one that went. */
function hasUnknownOption({ commands }: Command, argv: readonly string[]): boolean {
  const known = new Set(commands.flatMap((one) => [one, ...one.commands]).flatMap(({ options }) => options.map(({ long }) => long)));
  return argv.some((word) => word.startsWith("--") && !known.has(word.split("=")[0]));
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
function noSettings(env: Env): SettingsInForce {
  const none = () => [];
  return {
    env: { ...env },
    applied: [],
    runsSections: false,
    eachSection: (_line, _flags, once) => once(),
    addTo: () => {},
    apply: async () => {},
    forOthers: none,
    wordsFor: none,
    flagsFor: <Flags>(command: Command) => command.opts() as Flags,
    places: none,
    fileWords: none,
  };
}
