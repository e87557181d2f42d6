import { MovedexCommand } from "../../movedex-command.ts";
import { parseDurationOption } from "../../options/options.ts";

export function workCommand(): MovedexCommand {
  return new MovedexCommand("work")
    .summary("help other runs on a PostgreSQL database until stopped")
    .description(
      "Help with every `sync`, `backfill` and `trace` on the same PostgreSQL database, and wait for more. A worker starts no snapshot of its own. Run as many as you like, each with its own node and rate.",
    )
    .sharedNode("stop after this time (90s, 30m, 6h …)")
    .optionsGroup("Store and output:")
    .option("--db <url>", "the address of the database (default: DATABASE_URL)")
    .option("--lease <time>", "how long other workers wait for this one if it dies (default: 30s)", parseDurationOption)
    .printsJson(async () => (await import("./result.ts")).workResult, "print one JSON object at the end")
    .examples("work --network movement-mainnet --db postgres://db.example/archive")
    .runsFrom(async () => (await import("./run.ts")).runWork);
}
