import { Command } from "commander";
import { printable } from "../base/printable.ts";
import { ConfigError } from "../errors.ts";
import type { Io } from "./io.ts";

/** `movedex schema`: the views and their columns, from the data that the database is made from. */
export function schemaCommand(io: Io): Command {
  return new Command("schema")
    .description("Say what the views and tables hold, column by column.")
    .argument("[name]", "one view or table (default: all views)")
    .option("--tables", "the tables behind the views")
    .addHelpText("after", "\nExample:\n  $ movedex schema functions_at")
    .action(async (name: string | undefined, flags: { readonly tables?: boolean }) => {
      const { schemaText } = await import("../schema/documentation.ts");
      const text = schemaText(name === undefined ? { kind: flags.tables ? "table" : "view" } : { name });
      if (text === undefined) {
        throw new ConfigError(
          `there is no view or table \`${printable(name ?? "", 80)}\`; \`movedex schema\` lists the views, \`movedex schema --tables\` the tables.`,
        );
      }
      await io.stdout(text);
    });
}
