import type { ModuleId } from "../../move/module-id.ts";
import type { PublishRuleId } from "./rules.ts";

export type PublishProblem = {
  readonly rule: PublishRuleId;
  readonly module: ModuleId;
  /** `name` is null for the module itself. */
  readonly item: { readonly kind: "module" | "struct" | "function"; readonly name: string | null };
  /** What is wrong, in words without the item: `field a: 0x1::m::T has no copy`. */
  readonly reason: string;
};

export type Problem = Omit<PublishProblem, "module">;
