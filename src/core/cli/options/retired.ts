import { type Command, Option } from "commander";
import type { Io } from "../io.ts";
import { collectWord } from "./options.ts";

type RetiredOption = readonly [
  /** The commands that had it: `night, watch add`. */
  commands: string,
  /** As it was declared, so that its value is not taken for an argument. */
  flags: string,
  /** What happens without it, or what to use. A sentence without its full stop. */
  instead: string,
];

/** What to use in place of the options for mail. */
export const NO_MAIL = "a program that `--exec` runs can send mail";
const KEEP = "no backup is deleted while it is given; `--keep N` alone keeps the newest N";

/** What receivers of alerts had; the table of one in a settings file may still have these keys. */
const receiverOptions: readonly RetiredOption[] = [
  ["tell, watch test", "--mail-to <address>", NO_MAIL],
  ["tell, watch test", "--mail-from <address>", NO_MAIL],
  ["tell, watch test", "--digest <digest>", "each receiver gets one message a run"],
  ["tell, watch test", "--quiet-hours <hours>", "alerts are sent when `tell` runs, by `night` or by itself"],
];

/**
 * Options that went with this version. Crontabs and settings files still name them, and an upgrade must cost nobody a night before pruning:
 * for one version they are named on stderr and have no other effect.
 */
const retiredOptions: readonly RetiredOption[] = [
  ["backup, night", "--keep-daily <n>", KEEP],
  ["backup, night", "--keep-weekly <n>", KEEP],
  ["backup, night", "--keep-monthly <n>", KEEP],
  ["backup, night", "--keep-yearly <n>", KEEP],
  ["night, report", "--site-url <url>", "`--base-url` names where `serve` shows the pages"],
  ["tell", "--again <alert>", "`--replay VERSION` sends the changes after a ledger version once more"],
  ...receiverOptions,
  ["backfill", "--count <n>", "`--every`, `--from` and `--to` say which versions are read"],
  ["backfill, trace", "--archive <url>", "`--rpc` names another node that still has the versions"],
  ["backfill, trace", "--archive-rate <n>", "`--rate` is the pace of the node that `--rpc` names"],
  ["trace", "--first-above <version>", "the changes that no report has named yet come first by themselves"],
  ["sync, work, night, doctor, status, report", "--half-life <time>", "a change found two days later counts half as much"],
  ["verify", "--seed <n>", "each run draws a sample of its own"],
  ["verify", "--repair", "`--rebuild` makes rows and views anew; where bytes are damaged, restore a backup"],
  ["query", "--wide", "in a pipe (`| cat`) and with `--format csv` or `--json` nothing is cut"],
  ["diff", "--usage", "findings are weighed by who uses the item in any case"],
  ["targets add, targets import", "--by <who>", "the variable USER says who adds the accounts"],
  [
    "sync, work, night, backfill, trace, doctor",
    "--shared-rate <n>",
    "`--rate` limits each process; give each its part of what the node allows",
  ],
  [
    "sync, backfill, trace, work",
    "--lease <time>",
    "on PostgreSQL another process takes over what one that died was reading, a minute after its last word",
  ],
  ["sync, work", "--cross-check <n>", "`verify --against URL` compares what is stored with a node's bytes"],
  ["sync", "--unless-within <time>", "on PostgreSQL, a process that comes late to the night of another machine begins no second one"],
  ["export", "--tables <which>", "an export of tables has the public views, and `--format mv` writes bytecode"],
  ["version", "--check", "https://github.com/movedex/movedex/releases has the newest version"],
];

/** Commands that went with this version, with what to use; the sentence is the error's. */
const retiredCommands: Readonly<Record<string, string>> = {
  site: "`serve` shows the same pages",
};

/** Ends a command line that begins with a command that went with this version: that is no unknown one, and the error says what to use. */
export function refuseRetired(program: Command, name: string): void {
  const instead = retiredCommand(name);
  if (instead !== undefined) program.error(`error: the command \`${name}\` is gone: ${instead}.`, { code: "commander.unknownCommand" });
}

/** Keeps a command for this version under a name that went: it is in no help, and says on stderr what runs. */
export function retiredName<C extends Command>(name: string, command: C, io: Io): C {
  const now = command.name();
  return command.name(name).hook("preAction", () => {
    io.stderr(
      `movedex: the command \`${name}\` is gone: \`${now}\` runs in its place, and shares the night with others on the same database.\n`,
    );
  });
}

/** Lets the commands below `program` still take retired options. They are in no help, and a line on stderr names each that was given. */
export function addRetiredOptions(program: Command): void {
  const all = program.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
  for (const [commands, flags] of retiredOptions) {
    for (const command of all.filter((one) => isOf(commands, commandName(one)))) {
      const option = new Option(flags).hideHelp();
      // A settings file may have a list, and an option may stand there once with a value and once without.
      if (option.required || option.optional) {
        option.argParser((text, previous: unknown) => collectWord(text, Array.isArray(previous) ? previous : undefined));
      }
      command.addOption(option);
    }
  }
}

/** Names the retired options that a command was given; beside the old retention no backup goes. */
export function nameRetired(running: Command, { stderr }: Pick<Io, "stderr">): void {
  for (const [commands, flags, instead] of retiredOptions) {
    const option = new Option(flags);
    const source = isOf(commands, commandName(running)) ? running.getOptionValueSource(option.attributeName()) : undefined;
    if (source === undefined) continue;
    stderr(`movedex: the option ${option.long} is gone: ${instead}.\n`);
    if (instead === KEEP) running.setOptionValue("keep", undefined);
  }
}

/** What is said of a key of a settings file whose option went, of one command (`sync.unless-within`) or of any; undefined for others. */
export function retiredSetting(key: string): string | undefined {
  const [name = "", command] = key.split(".").reverse();
  const found = retiredOptions.find(
    ([commands, flags]) => flags.split(" ")[0] === `--${name}` && (command === undefined || isOf(commands, command)),
  );
  return found?.[2];
}

/** What to use in the place of a retired command; undefined for other names. */
export function retiredCommand(name: string): string | undefined {
  return Object.hasOwn(retiredCommands, name) ? retiredCommands[name] : undefined;
}

function isOf(commands: string, name: string): boolean {
  return commands.split(", ").includes(name);
}

function commandName(command: Command): string {
  return command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
}

/** The keys that the table of a receiver in a settings file may still have. */
export const retiredReceiverKeys: ReadonlyMap<string, string> = new Map([
  ...receiverOptions.map(([, flags, instead]) => [flags.replace(/^--(\S+) .*$/, "$1"), instead] as const),
  ["smtp-env", NO_MAIL],
]);
