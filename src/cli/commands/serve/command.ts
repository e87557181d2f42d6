import { Command, Option } from "commander";
import { databasePath } from "../../../config.ts";
import { ConfigError } from "../../../errors.ts";
import type { Io } from "../../io.ts";
import { dbOption, wholeNumber } from "../../options/options.ts";
import type { ServeFlags } from "./run.ts";

function parseMetrics(text: string): ServeFlags["metrics"] {
  return text === "on" || text === "off" ? text : wholeNumber(0, 65_535)(text);
}

function parseHostName(text: string): string {
  if (/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(text)) return text;
  throw new ConfigError("wanted --host-name as a name or an address, such as archive.example.org, without a port.");
}

/** `movedex serve`: the archive behind the node's own API. */
export function serveCommand(io: Io): Command {
  return new Command("serve")
    .summary("answer as a ledger node does, from the archive")
    .description(
      "Answer the API of a ledger node from the sealed snapshots of the database; or stand in front of a node, and answer for the versions that it has pruned.",
    )
    .option("--host <address>", "the address to listen on; 0.0.0.0 for all addresses of the machine", "127.0.0.1")
    .option("--port <n>", "the port to listen on, 0 for any free port", wholeNumber(0, 65_535), 8080)
    .option("--socket <path>", "listen on a Unix socket instead, which its user and group may open")
    .addOption(
      new Option(
        "--between <answers>",
        "answers for versions between two snapshots: exact for none, stable for what both snapshots agree on, marked by a header",
      )
        .choices(["exact", "stable"])
        .default("exact"),
    )
    .addOption(
      new Option("--node-generation <letter>", "the node release whose ABI JSON is given: A 2024, B and C 2025, D 2026")
        .choices(["A", "B", "C", "D"])
        .default("D"),
    )
    .option("--no-pages", "leave out the pages to look at, which `/` begins")
    .option("--no-sql", "leave out the page that answers in SQL")
    .optionsGroup("In front of a node:")
    .option("--upstream <url>", "the node's REST address, with its /v1 (its key: MOVEDEX_API_KEY)")
    .optionsGroup("Serving to others:")
    .option(
      "--host-name <name>",
      "a name under which the pages are served, besides localhost and the address that is listened on; may be repeated",
      (name: string, names: readonly string[] = []) => [...names, parseHostName(name)],
    )
    .option("--trust-proxy <list>", "proxies whose X-Forwarded-For names the client: 127.0.0.1,10.0.0.0/8")
    .option("--rate-per-client <n>", "requests per second that one address may send, counted over 10 seconds", wholeNumber(1, 100_000))
    .option("--metrics <where>", "on beside the API, off, or a port of their own on 127.0.0.1", parseMetrics, "on")
    .optionsGroup("Store and output:")
    .option(...dbOption)
    .option("--log-requests", "write one line to stderr for each request")
    .option("--json", "print one JSON object with the URL on stdout when the server listens")
    .addHelpText("after", "\nExample:\n  $ movedex serve --db night.db --port 0")
    .action(async (flags: ServeFlags) => {
      const { runServe } = await import("./run.ts");
      await runServe(flags, databasePath(flags.db, io.env), io);
    });
}
