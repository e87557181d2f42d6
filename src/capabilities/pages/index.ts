import type { Capability } from "../../core/cli/capability.ts";

export const pages: Capability = { name: "pages", needs: ["serve", "changes"] };
