import type { Capability } from "../../core/cli/capability.ts";
import type { ExportFormat } from "../export/format.ts";

export const typings: Capability = {
  name: "typings",
  needs: ["export"],
  addsTo: { export: async () => typingsFormat },
};

const typingsFormat: ExportFormat = {
  format: "ts",
  content: "typings",
  example: "export src/abis --format ts --module 0x1::coin",
  options: ["account", "module", "u64"],
  declare: (command) =>
    command.choice("--u64 <type>", "typings: the TypeScript type of u64 and larger integers (default: string)", ["string", "bigint"]),
  result: async () => (await import("./export-typings.ts")).typingsResult,
  run: async (...asked) => (await import("./export-typings.ts")).exportTypings(...asked),
};
