import type { Command } from "commander";
import type { JsonSchema } from "../../src/base/document/result.ts";
import type { DeclaredCommand } from "../../src/cli/options/declared-command.ts";
import { fullName } from "../docs/commands.ts";
import { contracts } from "./commands.ts";

/** What a command prints for programs: a document, or a list of entries with this schema. */
export type Printed = { readonly schema: JsonSchema; readonly isList: boolean };

/** What a command prints with `--json`; undefined where it has none, or prints what others declare. */
export async function printedBy(command: Command): Promise<Printed | undefined> {
  const { result } = command as DeclaredCommand;
  if (result !== undefined) return { schema: (await result.kind()).schema, isList: result.isList };
  const contract = contracts[fullName(command)];
  if (contract === undefined) return undefined;
  return "document" in contract ? { schema: contract.document, isList: false } : { schema: contract.entry, isList: true };
}
