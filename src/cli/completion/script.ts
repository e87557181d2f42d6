import type { Command } from "commander";
import { recipes } from "../../schema/cookbook/cookbook.ts";
import { relations } from "../../schema/documentation.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { completionTree } from "./tree.ts";
import { zshCompletion } from "./zsh.ts";

const writers = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export function completionScript(shell: keyof typeof writers, program: Command): string {
  const recipeNames = recipes.map(({ name, question }) => ({ name, description: question }));
  const relationNames = relations.map(({ name, meaning }) => ({ name, description: meaning }));
  return writers[shell](completionTree(program, { cookbook: recipeNames, "query --cookbook": recipeNames, schema: relationNames }));
}
