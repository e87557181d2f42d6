import { type Command, InvalidArgumentError } from "commander";
import { addedTo, type Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { collectAddress, collectWord, parseAccount, parseVersionCount, repeatable } from "../../core/cli/options/options.ts";
import type { ExportFlags, ExportFormat, ExportRange } from "./format.ts";

export const exporting: Capability = {
  name: "export",
  commands: {
    "Share the archive:": {
      export: async (capabilities) => {
        const formats = await addedTo<ExportFormat>("export", capabilities);
        return () => exportCommand(formats);
      },
    },
  },
};

function exportCommand(formats: readonly ExportFormat[]): MovedexCommand {
  const contents = formats.map(({ content }) => content);
  const ofOne = ["modules", ...contents];
  const all = `${["tables", ...contents].join(", ")} or module files`;
  const command = new MovedexCommand("export")
    .summary(`export ${all}`)
    .description(`Write ${all} into a directory. Export into the same directory again to update it.`)
    .argument("<directory>", "the directory to write to; created if missing")
    .choice(
      "-f, --format <format>",
      ["tables: parquet, csv, jsonl; modules: abi-json, mv", ...formats.map(({ content, format }) => `${content}: ${format}`)].join("; "),
      ["parquet", "csv", "jsonl", "abi-json", "mv", ...formats.map(({ format }) => format)],
      "parquet",
    )
    .option(
      "--at <versions>",
      `tables: the rows of each snapshot: all, latest or one version; ${ofOne.join(", ")}: of one version, or latest: each account as read last (default)`,
      (text): ExportRange => (text === "all" || text === "latest" ? text : parseVersionCount(text)),
    )
    .option("--partition", "write the rows of each snapshot, in folders as Hive names them (chain_id=4/ledger_version=123)")
    .option(
      "--view <name>",
      "tables: only this view, such as functions_latest, and those that the directory has; repeatable; all is every view",
      collectWord,
    )
    .suggests("--view", async () => {
      const { viewList } = await import("../../core/db/schema/views/views.ts");
      return [...viewList.map(({ name, meaning }) => ({ name, description: meaning })), { name: "all", description: "every public view" }];
    })
    .option("-a, --account <address>", `${ofOne.join(" and ")}: only this account; repeatable`, collectAddress)
    .option("-m, --module <id>", `${ofOne.join(" and ")}: only this module (0x1::coin); repeatable`, repeatable(parseModule));
  for (const format of formats) format.declare(command);
  return command
    .database()
    .printsJson(async () => (await import("./run.ts")).exportResults(formats), "print one JSON object at the end")
    .examples("export tables --format parquet", ...formats.map(({ example }) => example))
    .runs(async ({ io }, directory: string, flags: ExportFlags, command: Command) =>
      (await import("./run.ts")).runExport(io, directory, flags, command, formats),
    );
}

function parseModule(text: string): string {
  const [, address, name] = /^(\w+)::(\S+)$/.exec(text) ?? [];
  if (address === undefined || name === undefined) throw new InvalidArgumentError("Give a module such as 0x1::coin.");
  return `${parseAccount(address)}::${name}`;
}
