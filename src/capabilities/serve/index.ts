import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { repeatable, wholeNumber } from "../../core/cli/options/options.ts";
import { ConfigError } from "../../core/errors.ts";
import type { ServeFlags } from "./run.ts";

export const serve: Capability = {
  name: "serve",
  commands: { "Share the archive:": { serve: async () => serveCommand } },
};

function parseMetrics(text: string): ServeFlags["metrics"] {
  return text === "on" || text === "off" ? text : wholeNumber(0, 65_535)(text);
}

function parseHostName(text: string): string {
  if (/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(text)) return text;
  throw new ConfigError("--host-name takes a name or an address without a port, such as archive.example.org.");
}

function serveCommand(): MovedexCommand {
  return new MovedexCommand("serve")
    .summary("answer the API of a ledger node from the archive")
    .description("Answer a node's API from the sealed snapshots. With --upstream, stand in front of a node, and answer what it has pruned.")
    .option("--host <address>", "the address to listen on; 0.0.0.0 for all", "127.0.0.1")
    .option("--port <n>", "the port to listen on; 0 for any free port", wholeNumber(0, 65_535), 8080)
    .option("--socket <path>", "listen on a Unix socket instead; its user and group may open it")
    .choice(
      "--between <answers>",
      "between two snapshots: exact answers nothing, stable answers what both agree on, marked by a header",
      ["exact", "stable"],
      "exact",
    )
    .choice("--node-generation <letter>", "print ABIs like this node release: A 2024, B and C 2025, D 2026", ["A", "B", "C", "D"], "D")
    .option("--no-pages", "serve the API only, without pages")
    .option("--no-sql", "serve no SQL page; of a PostgreSQL database there is none")
    .optionsGroup("In front of a node:")
    .option("--upstream <url>", "the node's REST address, with its /v1 (its key: MOVEDEX_API_KEY)")
    .optionsGroup("Serving to others:")
    .option("--host-name <name>", "a further host name of the pages, besides localhost and --host; repeatable", repeatable(parseHostName))
    .option("--trust-proxy <list>", "trust X-Forwarded-For from these proxies: 127.0.0.1,10.0.0.0/8")
    .option("--rate-per-client <n>", "requests per second per client address, over 10 seconds", wholeNumber(1, 100_000))
    .option("--metrics <where>", "serve /metrics: on, off, or a separate port on 127.0.0.1", parseMetrics, "on")
    .optionsGroup("Store and output:")
    .database()
    .option("--log-requests", "log one line per request to stderr")
    .printsJson(async () => (await import("./run.ts")).serveResult, "print one JSON object with the URL when the server is ready")
    .examples("serve --db night.db --port 0")
    .runs(async ({ io, capabilities }, flags: ServeFlags) => (await import("./run.ts")).runServe(io, flags, capabilities));
}
