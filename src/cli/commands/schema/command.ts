import { Command, Option } from "commander";
import { printable } from "../../../base/printable.ts";
import { nearestNames } from "../../../base/similar-names.ts";
import { ConfigError } from "../../../errors.ts";
import type { Io } from "../../io.ts";
import { didYouMean } from "../../options/not-held.ts";

type SchemaFlags = { readonly tables?: boolean; readonly format: "text" | "markdown" | "mermaid" | "json" };

/** `movedex schema`: the views and their columns, from the data that the database is made from. */
export function schemaCommand(io: Io): Command {
  return new Command("schema")
    .description("Say what the views and tables hold, column by column.")
    .argument("[name]", "one view or table (default: all views)")
    .option("--tables", "the tables behind the views")
    .addOption(
      new Option(
        "-f, --format <format>",
        "text, Markdown, a Mermaid diagram (of the tables, unless a name is given), or JSON, one column a line",
      )
        .choices(["text", "markdown", "mermaid", "json"])
        .default("text"),
    )
    .addHelpText("after", "\nExample:\n  $ movedex schema functions_at")
    .action(async (name: string | undefined, flags: SchemaFlags) => {
      const { chooseRelations, relations, relationsMarkdown, relationsText } = await import("../../../schema/documentation.ts");
      const isOfTables = flags.tables === true || flags.format === "mermaid";
      const chosen = chooseRelations(name === undefined ? { kind: isOfTables ? "table" : "view" } : { name });
      if (name !== undefined && chosen.length === 0) {
        const near = didYouMean(
          nearestNames(
            name,
            relations.map((relation) => relation.name),
          ),
        );
        throw new ConfigError(
          `there is no view or table \`${printable(name, 80)}\`.${near} \`movedex schema\` lists the views, \`movedex schema --tables\` the tables.`,
        );
      }
      switch (flags.format) {
        case "text":
          return io.stdout(relationsText(chosen, io.stdoutIsTerminal ? io.columns : undefined));
        case "markdown":
          return io.stdout(`${relationsMarkdown(chosen, 2)}\n`);
        case "mermaid":
          return io.stdout((await import("../../../schema/mermaid.ts")).mermaidDiagram(chosen));
        case "json":
          return io.stdout(chosen.flatMap(({ columns }) => columns.map((column) => `${JSON.stringify(column)}\n`)).join(""));
      }
    });
}
