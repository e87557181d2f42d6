import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";

export const explain: Capability = {
  name: "explain",
  needs: ["effects", "search"],
  commands: { "Look at modules:": { explain: async () => explainCommand } },
};

function explainCommand(): MovedexCommand {
  return new MovedexCommand("explain")
    .summary("explain an abort code or an error message")
    .description(
      "Explain an abort code or a VM status: its category, the module's own text at a version, who raises it, and which of its functions reach it. If the code meant something else at other versions, that is printed too. Of what a node did not find, say since when or until when it is held.",
    )
    .argument(
      "[message...]",
      "a module and a code (0x1::coin 0x10007, coin@VERSION 65543), a module, an error's name, a status such as OUT_OF_GAS, or the message that a node or tool printed; - is stdin",
    )
    .option("--file <file>", "read the message from this file")
    .printsJson(async () => (await import("./run.ts")).explainResult)
    .database()
    .examples("explain 0x1::coin 0x10007 --db night.db", 'explain "Move abort in 0x1::coin: EINSUFFICIENT_BALANCE(0x10006)"')
    .runsFrom(async () => (await import("./run.ts")).runExplain);
}
