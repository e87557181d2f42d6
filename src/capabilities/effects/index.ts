import type { Capability } from "../../core/cli/capability.ts";

export const effects: Capability = { name: "effects" };
