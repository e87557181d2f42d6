import type { Capability } from "../../core/cli/capability.ts";

export const drizzle: Capability = { name: "drizzle" };
