import { InvalidArgumentError } from "commander";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { collectAddress, parseAccount, parseVersionCount, repeatable } from "../../core/cli/options/options.ts";
import type { ExportRange } from "./run.ts";

export function exportCommand(): MovedexCommand {
  return new MovedexCommand("export")
    .summary("export tables, typings or module files")
    .description("Write tables, typings or module files into a directory. Export into the same directory again to update it.")
    .argument("<directory>", "the directory to write to; created if missing")
    .choice(
      "-f, --format <format>",
      "tables: parquet, csv, jsonl; modules: abi-json, mv; typings: ts",
      ["parquet", "csv", "jsonl", "abi-json", "mv", "ts"],
      "parquet",
    )
    .option(
      "--at <versions>",
      "tables: the rows of each snapshot: all, latest or one version; modules, typings: which snapshot (default: latest)",
      (text): ExportRange => (text === "all" || text === "latest" ? text : parseVersionCount(text)),
    )
    .option("--partition", "write the rows of each snapshot, in folders as Hive names them (chain_id=4/ledger_version=123)")
    .option("-a, --account <address>", "modules and typings: only this account; repeatable", collectAddress)
    .option("-m, --module <id>", "modules and typings: only this module (0x1::coin); repeatable", repeatable(parseModule))
    .choice("--u64 <type>", "typings: the TypeScript type of u64 and larger integers (default: string)", ["string", "bigint"])
    .database()
    .printsJson(async () => (await import("./run.ts")).exportResults, "print one JSON object at the end")
    .examples("export tables --format parquet", "export src/abis --format ts --module 0x1::coin")
    .runsFrom(async () => (await import("./run.ts")).runExport);
}

function parseModule(text: string): string {
  const [, address, name] = /^(\w+)::(\S+)$/.exec(text) ?? [];
  if (address === undefined || name === undefined) throw new InvalidArgumentError("Give a module such as 0x1::coin.");
  return `${parseAccount(address)}::${name}`;
}
