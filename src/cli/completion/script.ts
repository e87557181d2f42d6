import type { Command } from "commander";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { powershellCompletion } from "./powershell.ts";
import { completionTree } from "./tree.ts";
import { zshCompletion } from "./zsh.ts";

const writers = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion, powershell: powershellCompletion };

/** The completion script of a program for a shell. */
export function completionScript(shell: keyof typeof writers, program: Command): string {
  return writers[shell](completionTree(program));
}
