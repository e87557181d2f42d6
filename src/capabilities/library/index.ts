import type { Capability } from "../../core/cli/capability.ts";

export const library: Capability = { name: "library", needs: ["explain"] };
