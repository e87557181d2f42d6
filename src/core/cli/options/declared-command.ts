import { Command, Option } from "commander";
import type { AnyKind } from "../../base/result.ts";
import { type NetworkName, networks, unknownNode } from "../../node/networks.ts";
import { parseDurationOption, parseRate, wholeNumber } from "./options.ts";

/** What a command prints for programs. It is loaded for those who ask, so that a command starts without it. */
export type Result = { readonly kind: () => Promise<AnyKind>; readonly isList: boolean };

/** A word that may stand next in a command line, with its meaning in a line. */
export type Candidate = { readonly name: string; readonly description: string };

/** A command as it is declared: options in short, those that commands share by name, and a help that ends with examples. */
export class DeclaredCommand extends Command {
  choice(flags: string, description: string, choices: readonly string[], byDefault?: string): this {
    return this.addOption(new Option(flags, description).choices(choices).default(byDefault));
  }

  /** Adds `--format`, by default the first of the formats, and `--json`, which stands over it. */
  formats(formats: readonly string[], description = "output format"): this {
    return this.choice("-f, --format <format>", description, formats, formats[0])
      .option("--json", "the same as --format json")
      .hook("preAction", (command) => {
        if (command.opts<{ json?: boolean }>().json === true) command.setOptionValue("format", "json");
      });
  }

  /** What the command prints with `--json`: an object, or a list of these entries. Undefined where it prints what others declare. */
  result: Result | undefined;

  /** Whether it runs once for each section of a settings file where none is chosen. */
  takesSections = false;

  /** Declares that the command runs once for each section; `SettingsInForce.eachSection` runs it. */
  eachSection(): this {
    this.takesSections = true;
    return this;
  }

  /** Adds options that a capability gives to several of its commands. */
  with(add: (command: this) => unknown): this {
    add(this);
    return this;
  }

  /** Options that a settings file may have in tables inside the command's own, such as `[tell.team]`. */
  ofTables: readonly Option[] = [];

  /** What completes the value of an option, or under "" an argument, where commander knows no choices of it. */
  readonly suggested = new Map<string, () => Promise<readonly Candidate[]>>();

  suggests(option: string, load: () => Promise<readonly Candidate[]>): this {
    this.suggested.set(option, load);
    return this;
  }

  /** Says what `--json` prints. */
  prints(kind: () => Promise<AnyKind>): this {
    this.result = { kind, isList: false };
    return this;
  }

  /** Adds `--json`, and says what it prints. */
  printsJson(kind: () => Promise<AnyKind>, description = "print one JSON object"): this {
    return this.prints(kind).option("--json", description);
  }

  /** Adds how a list is printed for programs, and says what an entry is. */
  printsList(entry: () => Promise<AnyKind>): this {
    this.result = { kind: entry, isList: true };
    return this.addOption(new Option("--json", "print one JSON array").conflicts("jsonl")).option(
      "--jsonl",
      "print one JSON object per line",
    );
  }

  /** Ends the help with command lines, without their `movedex`. */
  examples(...lines: readonly string[]): this {
    const title = lines.length === 1 ? "Example" : "Examples";
    return this.addHelpText("after", `\n${title}:\n${lines.map((line) => `  $ movedex ${line}`).join("\n")}`);
  }

  /** Adds `--db`. When the command runs, it holds the path or address of the database. */
  database(): this {
    return this.option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)");
  }

  node(maxRequests = "stop after n requests; the next run continues"): this {
    return this.optionsGroup("Source:")
      .option("-r, --rpc <url>", "the node's REST address, with its /v1 (or MOVEDEX_RPC_URL)")
      .choice("--network <name>", "a public network; sets the node and its rate", Object.keys(networks))
      .option("--node-name <name>", "store and show this name instead of the node's address, which may hold a key")
      .choice("--encoding <encoding>", "auto prefers BCS and falls back to JSON", ["auto", "bcs", "json"], "auto")
      .optionsGroup("Pace:")
      .option(
        "-l, --rate <n>",
        `requests per second of this process; 0 for no limit (default: the network's, else ${unknownNode.rate})`,
        parseRate,
      )
      .option("--concurrency <n>", `concurrent requests (default: the network's, else ${unknownNode.concurrency})`, wholeNumber(1, 1000))
      .option("--max-requests <n>", maxRequests, wholeNumber(1, 1e15));
  }

  /** The same for a run that reads a ledger, perhaps with others. The texts say what an option does where that differs. */
  sharedNode(maxDuration = "stop after this time (90s, 30m, 6h …); the next run continues", maxRequests?: string): this {
    return this.node(maxRequests)
      .option(
        "--accept-new-history",
        "continue once although nothing proves that the node's ledger is the stored one; use it when a run tells you to",
      )
      .option("--page-size <n>", "modules per page (default: the node's page size)", wholeNumber(1, 65_535))
      .option("--max-duration <time>", maxDuration, parseDurationOption);
  }

  ages(): this {
    return this.option(
      "--max-age <time>",
      "if the budget is too small for all targets, still read each one this often (default: 3/4 of the node's window, at most 30d)",
      parseDurationOption,
    );
  }

  /** Adds how often account records are read: code alone is one request instead of two. */
  records(): this {
    return this.choice("--records <when>", "how often to read account records (default: nightly)", ["nightly", "weekly", "never"]);
  }

  /** Whether others may be told how its runs go. */
  isMonitored = false;

  monitoring(): this {
    this.isMonitored = true;
    return this;
  }
}

/** The values of the options that commands share, as `DeclaredCommand` adds them. Times are in milliseconds. */
export type DatabaseFlags = { readonly db: string; readonly json?: boolean };

export type NodeFlags = {
  readonly rpc?: string;
  readonly network?: NetworkName;
  readonly nodeName?: string;
  readonly rate?: number;
  readonly concurrency?: number;
  readonly encoding: "auto" | "bcs" | "json";
  readonly maxRequests?: number;
  readonly acceptNewHistory?: boolean;
  readonly pageSize?: number;
  readonly maxDuration?: number;
};

/** Of a run that reads a ledger into a database. */
export type RunFlags = NodeFlags & DatabaseFlags;

/** How a night chooses whose budget does not suffice for all targets. */
export type AgeFlags = { readonly maxAge?: number };
