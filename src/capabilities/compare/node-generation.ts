import type { DeclaredCommand } from "../../core/cli/options/declared-command.ts";

export function addNodeGeneration(command: DeclaredCommand): void {
  const what = "the node release: A 2024, B and C 2025, D 2026 (default: as the archive saw it)";
  command.choice("--node-generation <letter>", what, ["A", "B", "C", "D"]);
}
