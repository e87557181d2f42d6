import { Command, Option } from "commander";
import type { AnyKind } from "../../base/result.ts";
import { networks, unknownNode } from "../../node/networks.ts";
import { collectWord, parseDurationOption, parseRate, parseWebhookFormat, watchLevels, webhookFormats, wholeNumber } from "./options.ts";

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

  /** Says that it does; the settings in force do it. */
  eachSection(): this {
    this.takesSections = true;
    return this;
  }

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
    return this.listFormats();
  }

  /** Adds how a list is printed for programs. */
  listFormats(): this {
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

  node(): this {
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
      .option("--max-requests <n>", "stop after n requests; the next run continues", wholeNumber(1, 1e15));
  }

  /** The same for a run that reads a ledger, perhaps with others. `maxDuration` says what `--max-duration` does where that differs. */
  sharedNode(maxDuration = "stop after this time (90s, 30m, 6h …); the next run continues"): this {
    return this.node()
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
    ).option(
      "--half-life <time>",
      "how fast a found change loses value; the night reads first where it expects the most (default: 2d)",
      parseDurationOption,
    );
  }

  /** Adds how often account records are read: code alone is one request instead of two. */
  records(): this {
    return this.choice("--records <when>", "how often to read account records (default: nightly)", ["nightly", "weekly", "never"]);
  }

  /** Adds how many backups are kept; `keep` says when `--keep` does what. */
  retention(keep: string): this {
    return this.option("--keep <n>", keep, wholeNumber(1, 100_000));
  }

  nodeGeneration(): this {
    const what = "the node release: A 2024, B and C 2025, D 2026 (default: as the archive saw it)";
    return this.choice("--node-generation <letter>", what, ["A", "B", "C", "D"]);
  }

  /** Whether others may be told how its runs go. */
  isMonitored = false;

  monitoring(): this {
    this.isMonitored = true;
    return this;
  }

  receivers(): this {
    return this.optionsGroup("Receivers:")
      .option("--webhook <url>", "POST the alerts to this URL, signed with MOVEDEX_WEBHOOK_SECRET if set (or MOVEDEX_WEBHOOK_URL)")
      .addOption(
        new Option("--webhook-format <format>", "the format that the receiver expects")
          .choices(webhookFormats)
          .default("json")
          .argParser(parseWebhookFormat),
      )
      .option("--exec <word>", "run this program with the alerts as JSON on stdin; repeat the option for each argument", collectWord)
      .option("--alerts-file <file>", "append each alert to this file as a line of JSON")
      .choice("--level <level>", "send only alerts of this level or worse", watchLevels, "any")
      .option("--allow-http", "allow a webhook with http:// on another machine")
      .option("--ca <file>", "also trust the certificates in this PEM file")
      .option("--pages-url <url>", "the address of the pages of `serve`, for links in alerts");
  }
}
