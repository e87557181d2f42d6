import { readModule } from "../../move/module/module.ts";
import { checkFunctions } from "./functions.ts";
import { checkEvents, checkMetadata } from "./metadata.ts";
import type { Problem, PublishProblem } from "./problem.ts";
import { checkStructs } from "./structs.ts";

/** What of the chain counts when a module is published. */
export type PublishPlace = {
  readonly chainId: number | null;
  /** The newest bytecode version that its nodes read; undefined if that is not known. */
  readonly maxBytecodeVersion: number | undefined;
  /** Whether the ledger does not hold the module yet. */
  readonly isNew: boolean;
};

/** Checks one module by the rules of publishing that need no other module. @throws DecodeError */
export function checkModule(bytes: Uint8Array, { chainId, maxBytecodeVersion, isNew }: PublishPlace): PublishProblem[] {
  const module = readModule(bytes);
  const version: Problem[] =
    maxBytecodeVersion === undefined || module.version <= maxBytecodeVersion
      ? []
      : [
          {
            rule: "bytecode-too-new",
            item: { kind: "module", name: null },
            reason: `it is of bytecode version ${module.version}, and the chain's nodes read up to ${maxBytecodeVersion}`,
          },
        ];
  const problems = [
    ...version,
    ...checkStructs(module),
    ...checkFunctions(module, isNew),
    ...checkEvents(bytes),
    ...checkMetadata(module, chainId),
  ];
  return problems.map((problem) => ({ ...problem, module: module.self }));
}
