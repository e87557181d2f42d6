import type { Capability } from "../../core/cli/capability.ts";

export const archival: Capability = { name: "archival" };
