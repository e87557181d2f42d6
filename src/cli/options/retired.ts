import { type Command, Option } from "commander";
import { ConfigError } from "../../errors.ts";
import type { Io } from "../io.ts";
import { collectWord } from "./options.ts";
import { retiredReceiverOptions } from "./retired-receivers.ts";

type RetiredOption = {
  /** As it was declared, so that its value is not taken for an argument. */
  readonly flags: string;
  /** The commands that had it, such as `night` or `watch add`. */
  readonly commands: readonly string[];
  /** What happens without it, or what to use. A sentence without its full stop. */
  readonly instead: string;
  /** An option, as commander names its value, that is not obeyed beside it: what it would do, the two together did not. */
  readonly disables?: string;
  /** Left out, it would have the command do what its caller did not want, so that the command does nothing. */
  readonly isRefused?: boolean;
  /** Gives its value to what took it over, which for this version is then obeyed. */
  readonly becomes?: (running: Command, value: unknown) => void;
};

/**
 * Options that went with this version. Crontabs and settings files still name them, and an upgrade must cost nobody a night before pruning:
 * for one version they are named on stderr and have no other effect, except that the values of some became those of others. Those that no
 * night has, and without which a command would do something else, are refused already. The next version refuses all.
 */
const retiredOptions: readonly RetiredOption[] = [
  ...["daily", "weekly", "monthly", "yearly"].map((period) => ({
    flags: `--keep-${period} <n>`,
    commands: ["backup", "night"],
    instead: "no backup is deleted while it is given; `--keep N` alone keeps the newest N",
    disables: "keep",
  })),
  { flags: "--site-url <url>", commands: ["night", "report"], instead: "`--base-url` names where `serve` shows the pages" },
  { flags: "--again <alert>", commands: ["tell"], instead: "`--replay VERSION` sends the changes after a ledger version once more" },
  {
    flags: "--grants <role>",
    commands: ["schema"],
    instead: "docs/postgresql.md has five statements that make a role which can only read",
    isRefused: true,
  },
  ...retiredReceiverOptions.map(([flags, instead]) => ({ flags, commands: ["tell", "watch test"], instead })),
  ...["cron", "systemd", "kubernetes", "monitoring"].map((program) => ({
    flags: `--${program}`,
    commands: ["init"],
    instead: `\`--for ${program}\` writes the same`,
    becomes: (running: Command) => running.setOptionValue("for", [...(running.getOptionValue("for") ?? []), program]),
  })),
  {
    flags: "--datasette [database]",
    commands: ["schema"],
    instead: "`schema DATABASE --format datasette` prints the same",
    becomes: (running, value) => becomesFormat(running, "datasette", value),
  },
  {
    flags: "--dbt",
    commands: ["schema"],
    instead: "`--format dbt` prints the same",
    becomes: (running, value) => becomesFormat(running, "dbt", value),
  },
  {
    flags: "--json-schema <command>",
    commands: ["schema"],
    instead: "`schema COMMAND --format json-schema` prints the same",
    becomes: (running, value) => becomesFormat(running, "json-schema", value),
  },
  { flags: "--first-above <version>", commands: ["trace"], instead: "the changes that no report has named yet come first by themselves" },
  { flags: "--seed <n>", commands: ["verify"], instead: "each run draws a sample of its own" },
  {
    flags: "--repair",
    commands: ["verify"],
    instead: "`--rebuild` makes rows and views anew; where bytes are damaged, restore a backup",
  },
  { flags: "--wide", commands: ["query"], instead: "in a pipe (`| cat`) and with `--format csv` or `--json` nothing is cut" },
  { flags: "--file <file>", commands: ["query"], instead: "`movedex query - < FILE` reads the statement from a file", isRefused: true },
  {
    flags: "--no-browser",
    commands: ["open"],
    instead: "`movedex serve` shows the same pages and opens no browser",
    isRefused: true,
  },
  { flags: "--usage", commands: ["diff"], instead: "findings are weighed by who uses the item in any case" },
  { flags: "--list-rules", commands: ["diff"], instead: "docs/diff-rules.md lists the rules", isRefused: true },
  {
    flags: "--shared-rate <n>",
    commands: ["sync", "work", "night", "backfill", "trace", "doctor"],
    instead: "`--rate` limits each process; give each its part of what the node allows",
  },
  {
    flags: "--lease <time>",
    commands: ["sync", "backfill", "trace", "work"],
    instead: "on PostgreSQL another process takes over what one that died was reading, a minute after its last word",
  },
  {
    flags: "--unless-within <time>",
    commands: ["sync"],
    instead: "on PostgreSQL, a process that comes late to the night of another machine begins no second one",
  },
  ...["--never", "--empty", "--parked", "--stale [time]"].map((flags) => ({
    flags,
    commands: ["targets list"],
    instead: "`--jsonl` says of each account when it was last read and whether it had modules, for `jq` to choose from",
    isRefused: true,
  })),
  { flags: "--column <name>", commands: ["targets import"], instead: "call the column `address`", isRefused: true },
  { flags: "--label-column <name>", commands: ["targets import"], instead: "the column `label` has the labels", isRefused: true },
  {
    flags: "--by <who>",
    commands: ["targets add", "targets import"],
    instead: "the variable USER says who adds the accounts",
    isRefused: true,
  },
  {
    flags: "--mine <directory>",
    commands: ["watch add"],
    instead: "`movedex lock DIRECTORY` writes what your modules reach, and `watch add movedex.lock` watches it",
    isRefused: true,
  },
  {
    flags: "--check",
    commands: ["export"],
    instead: "`movedex lock --check` says whether what you reach changed; `git diff --exit-code` after an export, whether files did",
    isRefused: true,
  },
  { flags: "--check", commands: ["version"], instead: "https://github.com/movedex/movedex/releases has the newest version" },
];

/** Commands that went with this version, with what to use; the sentence is the error's. */
const retiredCommands: Readonly<Record<string, string>> = {
  site: "`serve` shows the same pages",
};

/** Values of `--format` that went, which settings files may still have. */
const retiredFormats: ReadonlySet<unknown> = new Set(["junit", "mermaid", "graphml", "sql", "python"]);

/** Whether a value of `--format` went with this version. */
export function isRetiredFormat(value: unknown): boolean {
  return retiredFormats.has(value);
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
  for (const { flags, commands } of retiredOptions) {
    for (const command of all.filter((one) => commands.includes(commandName(one)))) {
      const option = new Option(flags).hideHelp();
      // A settings file may have a list, and an option may stand there once with a value and once without.
      if (option.required || option.optional) {
        option.argParser((text, previous: unknown) => collectWord(text, Array.isArray(previous) ? previous : undefined));
      }
      command.addOption(option);
    }
  }
}

/** Says which retired options a command was given, and does what is left of them. @throws ConfigError for one that is refused */
export function obeyRetired(running: Command, { stderr }: Pick<Io, "stderr">): void {
  for (const { flags, commands, instead, disables, becomes, isRefused } of retiredOptions) {
    const option = new Option(flags);
    const source = commands.includes(commandName(running)) ? running.getOptionValueSource(option.attributeName()) : undefined;
    // What begins with `--no-` has a default.
    if (source === undefined || source === "default") continue;
    if (isRefused) throw new ConfigError(`the option ${option.long} is gone: ${instead}.`);
    stderr(`movedex: the option ${option.long} is gone: ${instead}.\n`);
    if (disables !== undefined) running.setOptionValue(disables, undefined);
    becomes?.(running, running.getOptionValue(option.attributeName()));
  }
}

/** What is said of a key of a settings file whose option went, of one command (`sync.unless-within`) or of any; undefined for others. */
export function retiredSetting(key: string): string | undefined {
  const [name = "", command] = key.split(".").reverse();
  const isOf = (commands: readonly string[]): boolean => command === undefined || commands.includes(command);
  return retiredOptions.find(({ flags, commands }) => flags.split(" ")[0] === `--${name}` && isOf(commands))?.instead;
}

/** What to use in the place of a retired command; undefined for other names. */
export function retiredCommand(name: string): string | undefined {
  return Object.hasOwn(retiredCommands, name) ? retiredCommands[name] : undefined;
}

/** The option of `schema` is its format; the option's value is the name that the format is about. */
function becomesFormat(running: Command, format: string, value: unknown): void {
  running.setOptionValue("format", format);
  running.processedArgs[0] = Array.isArray(value) ? value.at(-1) : undefined;
}

function commandName(command: Command): string {
  return command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
}
