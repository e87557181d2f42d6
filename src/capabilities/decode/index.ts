import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import type { ExitName } from "../../core/exit-codes.ts";

export const decode: Capability = {
  name: "decode",
  commands: { "Look at modules:": { decode: async () => decodeCommand } },
};

function decodeCommand(): MovedexCommand {
  return new MovedexCommand("decode")
    .summary("print the ABI of bytecode as JSON")
    .description(
      "Print the ABI of bytecode as a node of 2026 does: one line of JSON per module. A file may hold bytecode, its hex or base64, or a node's JSON of modules. Needs no node. What cannot be decoded gets a line with `error`; the exit code is then 2.",
    )
    .argument("<file...>", "files with bytecode, `-` for stdin")
    .option("--full", "add `module`: private functions, error codes, dependencies and all else in the bytecode")
    .examples("decode coin.mv")
    .runs(async ({ io }, files: readonly string[], { full = false }: { readonly full?: boolean }) => {
      const { decodeFile } = await import("./run.ts");
      let end: ExitName = "done";
      for (const file of files) {
        for (const line of await decodeFile(io, file, full)) {
          if ("error" in line) end = "gaps";
          await io.stdout(jsonLine(line));
        }
      }
      return end;
    });
}
